import { beforeAll, describe, expect, it } from '@jest/globals';
import { givenProject, givenTask, untilEnded } from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

describe('a permission that nobody gives in time', () => {
  const server = TestServer.use({ APPROVAL_TIMEOUT_SECS: '1' });
  let client: McpClient;
  let project_id: string;
  beforeAll(async () => {
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
  });

  it('is denied to the agent, which does not act, and cannot be given any more', async () => {
    const task_id = await givenTask(client, project_id, 'ask echo never');
    const started = await client.call('start_task_attempt', { task_id, executor: 'DEMO', variant: 'APPROVALS' });
    const attempt_id = started.attempt_id as string;
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'failed' });

    const { body } = await server.rest.get(`/api/approvals?attempt_id=${attempt_id}&status=timed_out`);
    expect(body).toMatchObject({ count: 1, approvals: [{ attempt_id, status: 'timed_out' }] });
    const { page } = await client.call('tail_attempt_logs', { attempt_id, after_entry_index: -1, limit: 1_000 });
    const entries = (page.entries as Json[]).map(({ entry }) => entry as Json);
    expect(entries.find(({ type }) => type === 'tool_result')).toMatchObject({
      content: 'refused by the user',
      metadata: { status: 'failed' },
    });
    expect(entries.at(-1)).toMatchObject({ type: 'error_message', error_kind: 'denied' });

    const { approval_id } = body.approvals[0] as { approval_id: string };
    const late = await server.rest.post(`/api/approvals/${approval_id}/answer`, { decision: 'approve' });
    expect(late).toMatchObject({ status: 409, body: { code: 'approval_settled', details: { status: 'timed_out' } } });
  });
});
