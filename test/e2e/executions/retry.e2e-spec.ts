import { beforeAll, describe, expect, it } from '@jest/globals';
import { allRawLines, gate } from '../../support/board.js';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

const board = Board.share();
let project_id: string;
beforeAll(async () => {
  ({ project_id } = await board.project());
});

const retry = (attempt_id: unknown, headers = {}) =>
  board.rest.answers(200, 'POST', `/api/attempts/${String(attempt_id)}/retry`, undefined, headers);

describe('a retry', () => {
  it('runs the text of a task again as the script that it was, then the last message', async () => {
    const { attempt_id, session_id } = await board.endedAttempt(project_id, 'echo tried; exit 3');
    expect(await retry(attempt_id)).toEqual({ session_id, execution_process_id: expect.any(String) });
    expect(await board.untilEnded(attempt_id as string)).toMatchObject({ failure_summary: 'failed (exit_code=3)' });
    await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt: 'echo message' });
    await board.untilEnded(attempt_id as string);
    await retry(attempt_id);
    await board.untilEnded(attempt_id as string);
    expect(await allRawLines(board.kanban, attempt_id as string)).toEqual(['tried', 'tried', 'message', 'message']);
  });

  it('is done once for a key, and not while something runs', async () => {
    const { wait, open } = gate(board.server);
    const { attempt_id } = await board.endedAttempt(project_id, `[ -e second ] && ${wait}; touch second; exit 1`);
    const key = { 'idempotency-key': `retry ${String(attempt_id)}` };
    const first = await retry(attempt_id, key);
    await board.rest.refuses('session_busy', 'POST', `/api/attempts/${String(attempt_id)}/retry`);
    open();
    await board.untilEnded(attempt_id as string);
    expect(await retry(attempt_id, key)).toEqual({ ...first, replayed: true });
    const { executions } = await board.rest.does('GET', `/api/attempts/${String(attempt_id)}/executions`);
    expect(executions as Json[]).toHaveLength(2);
  });
});
