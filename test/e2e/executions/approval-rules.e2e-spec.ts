import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board, nowhere } from '../../support/board-fixture.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/mcp-client.js';

const board = Board.use();
let project_id: string;
beforeAll(async () => {
  ({ project_id } = await board.project());
  for (const [handle, role] of [
    ['@olga', 'owner'],
    ['@mila', 'maintainer'],
    ['@mark', 'member'],
  ] as const) {
    await board.worker(handle, 'human', handle.slice(1));
    await board.member(project_id, handle, role);
  }
});

/** A run of the DEMO agent that asks to run this command. */
async function ask(command: string, project = project_id): Promise<string> {
  const task = await board.rest.does('POST', `/api/projects/${project}/tasks`, { title: `Runs ${command}` });
  const { attempt_id } = await board.rest.does('POST', `/api/tasks/${task.task_id}/attempts`, {
    executor: 'DEMO',
    variant: 'APPROVALS',
    prompt: `ask ${command}`,
  });
  return attempt_id as string;
}

const asked = (attempt_id: string): Promise<Json> =>
  eventually('the question', async () => {
    const { approvals } = await board.rest.does('GET', `/api/approvals?attempt_id=${attempt_id}`);
    return (approvals as Json[])[0];
  }) as Promise<Json>;
const answer = (user: string, { approval_id }: Json, body: Json) =>
  board.as(user).send('POST', `/api/approvals/${approval_id}/answer`, body);
const rules = async (): Promise<Json[]> =>
  (await board.rest.does('GET', `/api/projects/${project_id}/approval-rules`)).rules as Json[];
const always = { decision: 'approve', always: true };
const settled = async (attempt_id: string) =>
  (await board.server.query<Json>('SELECT status, answered_by FROM approvals WHERE attempt_id = $1', [attempt_id]))[0];

describe('what is approved always', () => {
  it('is asked for once: an equal request of the project goes on, any other is asked', async () => {
    const first = await ask('echo same');
    expect((await answer('mila', await asked(first), always)).status).toBe(200);
    await board.untilEnded(first);
    expect(await rules()).toEqual([
      expect.objectContaining({ tool_name: expect.any(String), summary: 'echo same', made_by: '@mila' }),
    ]);
    const second = await ask('echo same');
    expect(await board.untilEnded(second)).toMatchObject({ state: 'completed' });
    expect(await settled(second)).toEqual({ status: 'approved', answered_by: '@mila' });
    const [told] = await board.server.query<Json>(
      `SELECT actor, details FROM audit_log
       WHERE action = 'approval_answered' AND details ->> 'attempt_id' = $1`,
      [second],
    );
    expect(told).toMatchObject({ actor: '@taskyard', details: { reason: '@mila approves it always' } });
    const other = await ask('echo other');
    expect((await answer('mark', await asked(other), { decision: 'deny', reason: 'not here' })).status).toBe(200);
    await board.untilEnded(other);
    const elsewhere = await ask('echo same', (await board.project()).project_id);
    await answer('mark', await asked(elsewhere), { decision: 'approve' });
    await board.untilEnded(elsewhere);
  });

  it('is asked for again once it is revoked', async () => {
    const first = await ask('echo revoked');
    await answer('olga', await asked(first), always);
    await board.untilEnded(first);
    const [rule] = (await rules()).filter(({ summary }) => summary === 'echo revoked');
    const place = `/api/projects/${project_id}/approval-rules/${rule!.rule_id}`;
    expect((await board.as('mark').send('DELETE', place)).status).toBe(403);
    await board.as('mila').does('DELETE', place);
    expect(await board.as('mila').refused('DELETE', place)).toMatchObject({ status: 404, code: 'rule_not_found' });
    const again = await ask('echo revoked');
    await answer('mark', await asked(again), { decision: 'approve' });
    await board.untilEnded(again);
  });

  it('is for maintainers: a member may answer, but not so', async () => {
    const attempt_id = await ask('echo by-member');
    const question = await asked(attempt_id);
    expect(await answer('mark', question, always)).toMatchObject({ status: 403 });
    expect((await rules()).some(({ summary }) => summary === 'echo by-member')).toBe(false);
    expect(await asked(attempt_id)).toMatchObject({ status: 'pending' });
    await answer('mark', question, { decision: 'approve' });
    await board.untilEnded(attempt_id);
  });

  it('is no answer to a denial', async () => {
    const attempt_id = await ask('echo denied');
    const question = await asked(attempt_id);
    expect(await answer('mila', question, { decision: 'deny', always: true })).toMatchObject({
      status: 400,
      body: { code: 'invalid_argument' },
    });
    await answer('mila', question, { decision: 'deny' });
    await board.untilEnded(attempt_id);
    expect(await board.rest.refused('DELETE', `/api/projects/${project_id}/approval-rules/${nowhere}`)).toMatchObject({
      code: 'rule_not_found',
    });
  });
});
