import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { gate, givenAttempt } from '../../support/board.js';
import type { Json } from '../../support/mcp-client.js';

describe('waiting for attempts', () => {
  const board = Board.share();
  let project_id: string;
  beforeAll(async () => {
    ({ project_id } = await board.project());
  });

  const started = async (script: string): Promise<string> =>
    (await givenAttempt(board.kanban, project_id, script)).attempt_id as string;
  /** The DEMO agent, which asks before it says a word. */
  const asking = async (word: string): Promise<string> => {
    const { task_id } = await board.kanban.call('create_task', { project_id, title: 'Ask' });
    const start = { task_id, executor: 'DEMO', variant: 'APPROVALS', prompt: `ask echo ${word}` };
    return (await board.kanban.call('start_task_attempt', start)).attempt_id as string;
  };
  const wait = (attempt_ids: string[], more: object = {}) =>
    board.kanban.call('wait_for_attempts', { attempt_ids, ...more });

  it('ends with the first of them, or with the last', async () => {
    const [first, second] = [gate(board.server), gate(board.server)];
    const ids = [await started(`${first.wait}; echo one > one.txt; echo first done`), await started(second.wait)];
    expect(await wait(ids, { wait_ms: 300 })).toMatchObject({
      attempts: ids.map((attempt_id) => ({ attempt_id, state: 'running', delivery_state: 'running' })),
      done: [],
      timed_out: true,
    });
    const any = wait(ids);
    first.open();
    expect(await any).toMatchObject({ done: [ids[0]], timed_out: false });
    const all = wait(ids, { until: 'all', wait_ms: 30_000 });
    second.open();
    const ended = await all;
    expect(ended).toMatchObject({ done: ids, timed_out: false });
    expect(ended.attempts[0]).toMatchObject({
      attempt_id: ids[0],
      state: 'completed',
      approval: null,
      failure_summary: null,
      last_output: 'first done',
      delivery_state: 'ready',
    });
  });

  it('says what each of them left, where it failed without a word on its standard output, too', async () => {
    const failing = await started('echo new > new.txt; echo "no such module" >&2; exit 3');
    const quiet = await started('true');
    const [failed, silent] = (await wait([failing, quiet, failing], { until: 'all', wait_ms: 30_000 })).attempts as [
      Json,
      Json,
    ];
    expect(failed).toMatchObject({
      state: 'failed',
      failure_summary: expect.stringContaining('3'),
      last_output: 'no such module\nfailed (exit_code=3)',
      delivery_state: 'failed',
    });
    expect(silent).toMatchObject({ state: 'completed', last_output: null });
    const counted = async () => (await wait([failing])).attempts[0] as Json;
    await expect(counted()).resolves.toMatchObject({ files: 1, added: 1, deleted: 0 });
  });

  it('ends where one of them asks, and the status says for what', async () => {
    const attempt_id = await asking('please');
    const { attempts, done } = await wait([attempt_id], { wait_ms: 30_000 });
    expect(done).toEqual([]);
    const { approval } = attempts[0] as Json;
    expect(approval).toMatchObject({ approval_id: expect.any(String), summary: expect.stringContaining('please') });
    const status = await board.kanban.call('get_attempt_status', { attempt_id, wait_ms: 30_000 });
    expect(status).toMatchObject({ state: 'running', approval });
    const seen = { attempt_id, wait_ms: 300, while_approval: approval.approval_id };
    expect(await board.kanban.call('get_attempt_status', seen)).toMatchObject({ state: 'running', approval });
    await board.rest.does('POST', `/api/approvals/${approval.approval_id}/answer`, { decision: 'approve' });
    expect(await board.untilEnded(attempt_id)).toMatchObject({ approval: null });
  });

  it('keeps the last lines of a long output, each of them whole', async () => {
    const attempt_id = await started('for n in $(seq 1 400); do echo "line $n of many"; done');
    const { last_output } = (await wait([attempt_id], { wait_ms: 30_000 })).attempts[0] as Json;
    expect(Buffer.byteLength(last_output)).toBeLessThanOrEqual(1_024);
    expect(last_output).toMatch(/^line \d+ of many\n(.*\n)*line 400 of many$/);
  });

  it('refuses none, too many, and one that is unknown', async () => {
    const unknown = '0198c0de-0000-7000-8000-000000000001';
    const refused = async (attempt_ids: string[]) =>
      (await board.kanban.refused('wait_for_attempts', { attempt_ids })).code;
    expect(await refused([])).toBe('invalid_argument');
    expect(await refused(Array.from({ length: 51 }, () => unknown))).toBe('invalid_argument');
    expect(await refused([unknown])).toBe('attempt_not_found');
  });
});
