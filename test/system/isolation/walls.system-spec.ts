import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { createTestDatabase } from '../../support/database.js';
import type { Json } from '../../support/mcp-client.js';
import { ServerProcess } from '../../support/server-process.js';
import { onlyWith } from '../../support/machine.js';
import { processesTyped } from '../../support/eventually.js';

onlyWith('bubblewrap').describe('a run behind bubblewrap', () => {
  const board = Board.use({ ISOLATION: 'bubblewrap' });
  let project_id: string;
  beforeAll(async () => {
    ({ project_id } = await board.project());
  });
  const ended = async (script: string): Promise<Json> => {
    const { attempt_id } = await board.endedAttempt(project_id, script);
    return board.rest.answers(200, 'GET', `/api/attempts/${attempt_id}`);
  };

  it('works in its worktree, and commits', async () => {
    const { state, final_message, attempt_id } = await ended(
      'echo done > result && git add . && git -c user.name=a -c user.email=a@b commit -qm work ' +
        '&& git log --oneline | wc -l',
    );
    expect([state, final_message]).toEqual(['completed', '2']);
    const changes = await board.rest.answers(200, 'GET', `/api/attempts/${attempt_id}/changes`);
    expect(changes.files).toEqual([expect.stringContaining('/result')]);
  });

  it.each([
    ['the data folder', () => `ls ${board.server.environment.DATA_DIR} | grep -vxE 'worktrees|stores'`],
    [
      'what its own text names',
      () => `${board.server.environment.DATA_DIR}/none\ncd ..; cd ..; cd ..; ls | grep -vxE 'worktrees|stores'`,
    ],
    ['the environment of the server', () => 'tr "\\0" "\\n" < /proc/$PPID/environ | grep DATABASE'],
    ['another attempt', () => `ls ${board.server.environment.DATA_DIR}/worktrees | grep -v "$TASKYARD_ATTEMPT_ID"`],
    [
      'the store of another attempt',
      () => `ls ${board.server.environment.DATA_DIR}/stores | grep -v "$TASKYARD_ATTEMPT_ID"`,
    ],
    ['objects of the repository', () => 'touch "$(tail -1 .git/objects/info/alternates)/x"'],
    ['hooks of the repository', () => 'echo "exit 1" > "$(tail -1 .git/objects/info/alternates)/../hooks/pre-commit"'],
    ['configuration of the repository', () => 'cat "$(tail -1 .git/objects/info/alternates)/../config"'],
    ['the keys of the user', () => 'ls -A ~/.ssh | grep .'],
    ['the system', () => 'touch /etc/taskyard-was-here'],
    ['a process of the server', () => `kill -0 ${process.pid}`],
  ])('does not reach %s', async (_, attack) => {
    expect(await ended(attack())).toMatchObject({ state: 'failed' });
    expect(existsSync('/etc/taskyard-was-here')).toBe(false);
  });

  it('takes every process along, also one that hides', async () => {
    const seconds = `8${process.pid}`;
    expect(await ended(`setsid env -i sleep ${seconds} & sleep 0.2`)).toMatchObject({ state: 'completed' });
    expect(processesTyped(`sleep ${seconds}`)).toEqual([]);
  });

  it('keeps the sessions of an agent that has its own state', async () => {
    const first = await board.rest.answers(201, 'POST', `/api/tasks/${await board.task(project_id)}/attempts`, {
      executor: 'DEMO',
      prompt: 'write a.txt',
    });
    await board.untilEnded(first.attempt_id as string);
    const place = `/api/attempts/${first.attempt_id}`;
    await board.rest.answers(200, 'POST', `${place}/follow-up`, { action: 'send', prompt: 'write b.txt' });
    expect(await board.untilEnded(first.attempt_id as string)).toMatchObject({ state: 'completed' });
  });
});

it('the list of executors says how runs are isolated', async () => {
  const bare = await Board.start({ ISOLATION: 'none' });
  try {
    const { isolation, isolation_reason } = await bare.rest.answers(200, 'GET', '/api/executors');
    expect([isolation, isolation_reason]).toEqual(['none', 'ISOLATION=none']);
  } finally {
    await bare.stop();
  }
});

it('the greeting and the log say it too', async () => {
  const database = await createTestDatabase();
  const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
  try {
    const server = await ServerProcess.start({ DATABASE_URL: database.url, DATA_DIR: folder, ISOLATION: 'none' });
    const { output } = await server.end();
    server.repositories.remove();
    const logged = output.split('\n').find((line) => line.includes('"context":"Sandbox"'));
    expect(JSON.parse(logged ?? '{}')).toMatchObject({
      level: 'info',
      isolation: 'none',
      reason: 'ISOLATION=none',
      limits: { memory: expect.any(String), processes: expect.any(String) },
      msg: 'runs are isolated by: none',
    });
    expect(output).toContain('Runs     not isolated: ISOLATION=none;');
  } finally {
    await ServerProcess.endLeft();
    await database.drop();
    rmSync(folder, { recursive: true });
  }
});
