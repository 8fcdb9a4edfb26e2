import { beforeAll, describe, expect, it } from '@jest/globals';
import { AttackGround } from '../support/attack-ground.js';
import { givenProject, givenTask, untilEnded } from '../support/board.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/mcp-client.js';

const as = (user: string) => ({ 'x-user-id': user });
const HELPER = { handle: '@helper', name: 'Helper', type: 'agent' };

/** A request that waits, of the DEMO agent. */
async function asked(ground: AttackGround, prompt = 'ask echo a'): Promise<Json> {
  const { project_id } = await givenProject(ground.server);
  const task_id = await givenTask(ground.kanban, project_id);
  const start = { task_id, executor: 'DEMO', variant: 'APPROVALS', prompt };
  const { attempt_id } = await ground.kanban.call('start_task_attempt', start);
  const request = await eventually('the request', async () => {
    const { approvals } = await ground.rest.does('GET', `/api/approvals?attempt_id=${attempt_id}`);
    return (approvals as Json[])[0];
  });
  return { ...request, attempt_id, task_id };
}
const answerOf = ({ approval_id }: Json): string => `/api/approvals/${approval_id}/answer`;
const statusOf = async (ground: AttackGround, { approval_id }: Json): Promise<string> =>
  (await ground.query<{ status: string }>('SELECT status FROM approvals WHERE id = $1', [approval_id]))[0]!.status;

describe('S13: agents that answer approval requests', () => {
  const ground = AttackGround.use({ SHELL_EXECUTOR: 'on', REQUIRE_HUMAN_APPROVAL: 'on' });
  beforeAll(() => ground.rest.does('POST', '/api/workers', HELPER));

  it.each(['approve', 'deny'])('%s where a person must', async (decision) => {
    const request = await asked(ground);
    const { approval_id, attempt_id } = request;
    const place = answerOf(request);
    expect((await ground.rest.send('POST', place, { decision }, as('@helper'))).status).toBe(403);
    const args = { approval_id: approval_id as string, decision };
    const tool = '/api/toolsets/approvals/tools/answer_approval';
    expect((await ground.rest.send('POST', tool, args, as('@helper'))).status).toBe(403);
    expect((await ground.rest.does('GET', `/api/approvals?attempt_id=${attempt_id}`)).approvals[0].status).toBe(
      'pending',
    );
    await ground.kanban.call('stop_attempt', { attempt_id, force: true });
  });
});

describe('S13: requests that are answered wrongly', () => {
  const ground = AttackGround.use({ SHELL_EXECUTOR: 'on', REQUIRE_HUMAN_APPROVAL: 'off', MAX_STREAMS: '40' });
  beforeAll(() => ground.rest.does('POST', '/api/workers', HELPER));

  it('by the agent that works on the task', async () => {
    const request = await asked(ground);
    await ground.rest.does('PATCH', `/api/tasks/${request.task_id}/assign`, { assignee_handle: '@helper' });
    const answer = await ground.rest.send('POST', answerOf(request), { decision: 'approve' }, as('@helper'));
    expect([answer.status, await statusOf(ground, request)]).toEqual([403, 'pending']);
  });

  it('by many at once, each of whom is told that theirs counts', async () => {
    const request = await asked(ground);
    const decisions = ['approve', 'deny', 'approve', 'deny', 'approve', 'deny'];
    const answers = await Promise.all(
      decisions.map((decision) => ground.rest.send('POST', answerOf(request), { decision })),
    );
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    expect([others, await statusOf(ground, request)]).toEqual([[], winner!.body.status]);
    const { state } = await untilEnded(ground.kanban, request.attempt_id as string);
    expect(state).toBe(winner!.body.status === 'denied' ? 'failed' : 'completed'); // all it tried was denied
  });

  it('by nobody whom anybody can name', async () => {
    const request = await asked(ground);
    const { answered_by } = await ground.rest.does('POST', answerOf(request), { decision: 'deny' });
    const { entries } = await ground.rest.does('GET', `/api/tasks/${request.task_id}/audit`);
    const answered = (entries as Json[]).filter(({ action }) => action === 'approval_answered');
    expect([answered.length, answered[0]!.actor]).toEqual([1, answered_by]);
  });

  it('by a crowd that leaves no place to wait', async () => {
    const leave = new AbortController();
    const request = await asked(ground);
    const place = `${ground.url}/api/attempts/${request.attempt_id}/events`;
    const crowd = await Promise.all(Array.from({ length: 60 }, () => fetch(place, { signal: leave.signal })));
    expect(crowd.map(({ status }) => status)).toContain(429);
    const late = await statusOf(ground, request);
    leave.abort();
    await ground.rest.does('POST', answerOf(request), { decision: 'approve' });
    const { state } = await untilEnded(ground.kanban, request.attempt_id as string);
    expect([late, await statusOf(ground, request), state]).toEqual(['pending', 'approved', 'completed']);
  });

  it('with an input of 300 KB', async () => {
    const request = await asked(ground, `ask echo ${'x'.repeat(300_000)}`);
    const [row] = await ground.query<{ bytes: number }>(
      'SELECT octet_length(input::text) + octet_length(summary) AS bytes FROM approvals WHERE id = $1',
      [request.approval_id],
    );
    expect(row!.bytes).toBeLessThan(100_000);
    await ground.kanban.call('stop_attempt', { attempt_id: request.attempt_id, force: true });
  });

  it('by the end of the server', async () => {
    const request = await asked(ground);
    await ground.server.end();
    expect(await statusOf(ground, request)).not.toMatch(/denied|approved/);
  });
});
