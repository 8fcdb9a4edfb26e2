import { describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { CheckedBoard } from '../../support/checked-board.js';
import type { Json } from '../../support/mcp-client.js';
import { runsOf } from '../../support/runs.js';

const board = CheckedBoard.use();
const WORK = 'echo new > new.txt';

/** The one check of an attempt whose turn has ended. */
async function checkedWork(check: object, script = WORK, more: object = {}): Promise<Json> {
  const project = await board.checked([{ name: 'tests', command: 'true', ...check }], more);
  const attempt = await board.endedAttempt(project.project_id, script);
  const checks = await board.checksOf(attempt.attempt_id);
  return { ...attempt, ...project, checks, check: checks.checks[0] };
}

describe('a check after a turn', () => {
  it('that passes is bound to the commit, and the attempt is ready', async () => {
    const { attempt_id, project_id, task_id, checks, check, repository } = await checkedWork({
      command: 'test -f new.txt',
    });
    expect(check).toMatchObject({ state: 'passed', exit_code: 0, required: true, failed_before: null, reason: null });
    expect(checks).toMatchObject({ state: 'passed', version: 1, rounds_used: 0, exhausted_reason: null });
    const branch = (await board.kanban.call('get_attempt_status', { attempt_id })).workspace_branch as string;
    expect(checks.head).toBe(repository.git('rev-parse', branch));
    expect(await runsOf(board.server, attempt_id)).toEqual(['codingagent completed', 'check web completed']);
    expect(await board.kanban.call('get_attempt_status', { attempt_id })).toMatchObject({
      ...{ state: 'completed', run_reason: 'codingagent', checks_state: 'passed', delivery_state: 'ready' },
    });
    const { tasks } = await board.kanban.call('list_tasks', { project_id });
    expect(tasks).toMatchObject([{ task_id, status: 'inreview', checks_state: 'passed' }]);
    expect(await board.read(task_id)).toMatchObject({ checks_state: 'passed' });
    expect(readdirSync(path.join(board.server.environment.DATA_DIR, 'worktrees/.checks'))).toEqual([]);
  });

  const ends: [name: string, check: object, expected: object, together: string][] = [
    ['fails', { command: 'echo broken >&2; exit 3' }, { state: 'failed', exit_code: 3, failed_before: true }, 'failed'],
    [
      'fails because of the work',
      { command: '! test -f new.txt' },
      { state: 'failed', failed_before: false },
      'failed',
    ],
    ['is not required', { command: 'exit 1', required: false }, { state: 'failed' }, 'passed'],
    [
      'takes too long',
      { command: 'sleep 60', timeout_secs: 1 },
      { state: 'errored', reason: /longer than 1 s/ },
      'errored',
    ],
    [
      'is not found',
      { command: 'no-such-program' },
      { state: 'errored', exit_code: 127, reason: /was not found/ },
      'errored',
    ],
    [
      'may not be executed',
      { command: './new.txt' },
      { state: 'errored', exit_code: 126, reason: /cannot be exec/ },
      'errored',
    ],
    ['is ended by a signal', { command: 'kill -9 $$' }, { state: 'errored', reason: /SIGKILL/ }, 'errored'],
    ['touches nothing of it', { command: 'exit 1', paths: ['src/**'] }, { state: 'skipped' }, 'skipped'],
    ['touches some of it', { paths: ['src/**', '*.txt'] }, { state: 'passed' }, 'passed'],
  ];
  it.each(ends)('that %s says so', async (_name, given, expected, together) => {
    const { check, checks } = await checkedWork(given);
    const { reason, ...more } = expected as { reason?: RegExp };
    expect(check).toMatchObject(more);
    if (reason) expect(check.reason).toMatch(reason);
    expect(checks.state).toBe(together);
  });

  it('that fails is tried once more if that is wanted, and then tried without the work once a commit', async () => {
    const codes = await answering(['1', '0', '1', '1', '0', '1']);
    const command = `exec 9<>/dev/tcp/127.0.0.1/${codes.port}; read -r code <&9; exit $code`;
    const { attempt_id, check, project_id } = await checkedWork({ command, rerun_on_failure: 1 });
    expect(check).toMatchObject({ state: 'passed', reason: expect.stringMatching(/tried again/) });
    expect(await runsOf(board.server, attempt_id)).toHaveLength(3);
    await board.rest.does('PUT', `/api/projects/${project_id}`, { fix_rounds: 0 });
    const red = await board.endedAttempt(project_id, WORK);
    expect((await board.checksOf(red.attempt_id)).checks).toMatchObject([{ state: 'failed', failed_before: false }]);
    expect(codes.left()).toEqual(['1']);
    expect(await runsOf(board.server, red.attempt_id)).toHaveLength(4);
    codes.close();
  });
});

/** Answers each caller with the next of the lines. */
async function answering(lines: string[]) {
  const server = createServer((socket) => socket.end(`${lines.shift()}\n`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, left: () => lines, close: () => server.close() };
}
