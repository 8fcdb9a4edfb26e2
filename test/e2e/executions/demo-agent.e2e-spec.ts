import { beforeAll, describe, expect, it } from '@jest/globals';
import { givenProject, givenTask, type Project, untilEnded } from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

describe('the DEMO agent, over the Agent Client Protocol', () => {
  const server = TestServer.use({ APPROVAL_TIMEOUT_SECS: '20' });
  let client: McpClient;
  let project: Project;

  beforeAll(async () => {
    client = await server.mcp();
    project = await givenProject(server);
  });

  const start = async (prompt: string, more: object = {}): Promise<string> =>
    (
      await client.call('start_task_attempt', {
        task_id: await givenTask(client, project.project_id),
        executor: 'DEMO',
        prompt,
        ...more,
      })
    ).attempt_id as string;
  const entries = async (attempt_id: string): Promise<Json[]> =>
    (await client.call('tail_attempt_logs', { attempt_id, limit: 100 })).page.entries.map(
      (row: Json) => row.entry as Json,
    );
  const pendingApproval = async (attempt_id: string): Promise<Json> => {
    for (;;) {
      const { body } = await server.rest.get(`/api/approvals?attempt_id=${attempt_id}`);
      if (body.count > 0) return body.approvals[0] as Json;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  it('makes a visible change of any plain sentence, and goes on in the same conversation', async () => {
    const attempt_id = await start('Please greet the world.');
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed', latest_session_executor: 'DEMO' });
    expect((await client.call('get_attempt_changes', { attempt_id })).files).toEqual(['web/AGENT_NOTES.md']);
    const [before] = await server.query<Json>('SELECT agent_session_id FROM sessions WHERE attempt_id = $1', [
      attempt_id,
    ]);
    expect(before!.agent_session_id).toEqual(expect.any(String));

    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'say hello again' });
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'completed',
      final_message: expect.stringContaining('turn 2'),
    });
    const [after] = await server.query<Json>('SELECT agent_session_id FROM sessions WHERE attempt_id = $1', [
      attempt_id,
    ]);
    expect(after).toEqual(before);
  });

  it('does not go on under other permissions where the variant of the session has left the configuration', async () => {
    const attempt_id = await start('say hello', { variant: 'APPROVALS' });
    await untilEnded(client, attempt_id);
    await server.query("UPDATE sessions SET variant = 'GONE' WHERE attempt_id = $1", [attempt_id]);
    const refused = await client.refused('follow_up', { attempt_id, action: 'send', prompt: 'say more' });
    expect(refused).toMatchObject({
      code: 'variant_unknown',
      details: { variant: 'GONE', known: expect.arrayContaining(['APPROVALS']) },
      hint: expect.stringContaining('start_task_attempt'),
    });
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'say more', variant: 'APPROVALS' });
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed' });
  });

  it('joins a tool call to its result and tells a failure', async () => {
    const attempt_id = await start('run echo from-a-tool\nfail on purpose');
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'failed',
      failure_summary: expect.stringContaining('on purpose'),
    });
    const said = await entries(attempt_id);
    const call = said.find((entry) => entry.type === 'tool_use')!;
    expect(said.find((entry) => entry.type === 'tool_result')).toMatchObject({
      tool_call: call.tool_call,
      content: expect.stringContaining('from-a-tool'),
    });
  });

  it('is stopped in a running tool, and nothing of it is left', async () => {
    const attempt_id = await start('run sleep 300');
    while (!(await entries(attempt_id)).some((entry) => entry.type === 'tool_use'))
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await client.call('stop_attempt', { attempt_id })).toMatchObject({ stopped: true, state: 'failed' });
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({ failure_summary: 'killed' });
  });

  it('asks before it acts in the APPROVALS variant, and follows both answers', async () => {
    const attempt_id = await start('ask echo asked-first', { variant: 'APPROVALS' });
    const asked = await pendingApproval(attempt_id);
    expect(asked).toMatchObject({
      attempt_id,
      status: 'pending',
      summary: expect.stringContaining('echo asked-first'),
    });
    const approvals = await server.mcp('', '/mcp/approvals');
    expect(
      await approvals.call('answer_approval', { approval_id: asked.approval_id, decision: 'approve' }),
    ).toMatchObject({ status: 'approved' });
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed' });
    expect(
      await approvals.refused('answer_approval', { approval_id: asked.approval_id, decision: 'deny' }),
    ).toMatchObject({ code: 'approval_settled' });

    const second = await start('ask echo never', { variant: 'APPROVALS' });
    const { body } = await server.rest.post(`/api/approvals/${(await pendingApproval(second)).approval_id}/answer`, {
      decision: 'deny',
      reason: 'not here',
    });
    expect(body).toMatchObject({ status: 'denied', reason: 'not here' });
    await untilEnded(client, second);
    expect(
      (await entries(second)).some(
        (entry) => entry.type === 'tool_result' && /asked-first/.test(entry.content as string),
      ),
    ).toBe(false);
  });

  it('withdraws a question when the run is stopped', async () => {
    const attempt_id = await start('ask echo later', { variant: 'APPROVALS' });
    const { approval_id } = await pendingApproval(attempt_id);
    await client.call('stop_attempt', { attempt_id });
    expect((await server.query<Json>('SELECT status FROM approvals WHERE id = $1', [approval_id]))[0]).toEqual({
      status: 'cancelled',
    });
  });

  it('ends at the time its start allowed', async () => {
    const attempt_id = await start('sleep 300', { timeout_secs: 1 });
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'failed',
      failure_summary: 'timed out after 1 s',
    });
  });
});
