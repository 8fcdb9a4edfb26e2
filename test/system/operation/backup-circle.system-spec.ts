import { existsSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { BackupGround, rowsIn } from '../../support/backup-ground.js';
import { givenAttempt, givenEndedAttempt, givenProject, untilEnded } from '../../support/board.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import type { Json } from '../../support/mcp-client.js';
import { untilSaid } from '../../support/runs.js';
import { ServerProcess } from '../../support/server-process.js';

/** Work of three kinds: committed, staged, and neither. */
const WORK = `
  echo committed > committed.txt; git add .; git -c user.name=A -c user.email=a@b commit -qm work
  echo staged > staged.txt; git add staged.txt
  echo loose > loose.txt`;

const THOUGHT = { type: 'reflection', agent_id: '@claude' };

describe('from a server to a file to another place', () => {
  const ground = new BackupGround();
  let server: ServerProcess;
  let ended: string;
  let live: string;
  let cloned: string;
  let task_id: string;
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    server = await ServerProcess.start({ DATA_DIR: ground.file('first'), AUTO_COMMIT: 'off' });
    const client = await server.mcp();
    const { project_id } = await givenProject(server);
    ({ attempt_id: ended, task_id } = (await givenEndedAttempt(client, project_id, WORK)) as Record<
      'attempt_id' | 'task_id',
      string
    >);
    for (const content of ['plan', 'decision'])
      await server.rest.does('POST', `/api/tasks/${task_id}/thought-records`, { ...THOUGHT, content });
    const url = server.repositories.repository('origin').dir;
    const far = await server.rest.does('POST', '/api/projects', { name: 'Far', repos: [{ name: 'far', url }] });
    const inClone = await givenEndedAttempt(client, far.project_id as string, 'echo far > far.txt');
    cloned = inClone.attempt_id as string;
    const running = await givenAttempt(client, project_id, 'echo half > half.txt; echo ready; sleep 600');
    live = running.attempt_id as string;
    await untilSaid(client, live, 'ready');
  });
  afterEach(() => ServerProcess.endLeft());
  afterAll(async () => {
    server.repositories.remove();
    ground.remove();
    await database.drop();
  });

  const rowsOf = (stdout: string): Json => JSON.parse(stdout) as Json;

  it('brings back work, runs and chains, and what was live goes on by a follow-up', async () => {
    const file = ground.file('through.tar.gz');
    const settings = { TASKYARD_URL: server.url, DATA_DIR: ground.file('first') };
    const backed = await ground.types(['backup', file, '--json'], settings);
    expect([backed.code, backed.stderr]).toEqual([0, '']);
    expect(rowsOf(backed.stdout)).toMatchObject({ file, works: 3 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await server.end();
    rmSync(ground.file('first'), { recursive: true });

    const DATA_DIR = ground.file('second');
    const restored = await ground.types(['restore', file], { DATA_DIR });
    expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining('CLUSTER_SECRET differs')]);
    const second = await ServerProcess.start({ DATA_DIR, AUTO_COMMIT: 'off' }, server.repositories);
    const client = await second.mcp();
    const colibri = await second.mcp('/mcp/colibri');
    const chain = await colibri.call('audit_verify_chain', { task_id });
    expect(chain.data).toMatchObject({ valid: true, record_count: 2 });
    expect(await untilEnded(client, live)).toMatchObject({
      state: 'failed',
      failure_summary: expect.stringMatching(/^runner lost: /),
    });
    await client.call('follow_up', { attempt_id: live, action: 'send', prompt: 'echo more > more.txt; cat half.txt' });
    expect(await untilEnded(client, live)).toMatchObject({ state: 'completed', final_message: 'half' });
    await client.call('follow_up', { attempt_id: ended, action: 'send', prompt: 'git status --short; cat *.txt' });
    const { final_message } = await untilEnded(client, ended);
    expect(final_message).toContain('A  staged.txt');
    expect(final_message).toContain('?? loose.txt');
    expect(final_message).toContain('committed\n');
    await client.call('follow_up', { attempt_id: cloned, action: 'send', prompt: 'cat far.txt' });
    expect(await untilEnded(client, cloned)).toMatchObject({ state: 'completed', final_message: 'far' });
    await second.end();
  });

  it('is taken from what a stopped server has left, too', async () => {
    const file = ground.file('offline.tar.gz');
    const DATA_DIR = ground.file('second');
    const backed = await ground.types(['backup', '--offline', file, '--json'], { DATA_DIR });
    expect([backed.code, backed.stderr]).toEqual([0, '']);
    expect(rowsOf(backed.stdout)).toMatchObject({ works: 1 }); // the other is as it was saved
    expect(existsSync(path.join(DATA_DIR, 'postgres/data/postmaster.pid'))).toBe(false);
    const again = await ground.types(['restore', file], { DATA_DIR });
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is not empty')]);
    const elsewhere = { DATA_DIR: ground.file('third'), DATABASE_URL: database.url };
    const restored = await ground.types(['restore', file], elsewhere);
    expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('work of 1 worktrees')]);
    const saved = 'SELECT attempt_id AS id FROM workspace_snapshots WHERE work IS NOT NULL AND bundle IS NOT NULL';
    expect((await rowsIn(database.url, saved)).map(({ id }) => id).sort()).toEqual([ended, live, cloned].sort());
  });
});
