import { beforeAll, describe, expect, it } from '@jest/globals';
import { AttackGround } from '../support/attack-ground.js';
import { givenProject, givenTask } from '../support/board.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/mcp-client.js';

const ground = AttackGround.use({ SHELL_EXECUTOR: 'on', REQUIRE_HUMAN_APPROVAL: 'on' });
const as = (user: string) => ({ 'x-user-id': user });
let project_id: string;
beforeAll(async () => {
  await ground.rest.does('POST', '/api/workers', { handle: '@helper', name: 'Helper', type: 'agent' });
  ({ project_id } = await givenProject(ground.server));
});

describe('S13: agents that answer approval requests', () => {
  async function asked(): Promise<Json> {
    const task = await givenTask(ground.kanban, project_id);
    const start = { task_id: task, executor: 'DEMO', variant: 'APPROVALS', prompt: 'ask echo a' };
    const { attempt_id } = await ground.kanban.call('start_task_attempt', start);
    const request = await eventually('the request', async () => {
      const { approvals } = await ground.rest.does('GET', `/api/approvals?attempt_id=${attempt_id}`);
      return (approvals as Json[])[0];
    });
    return { ...request, attempt_id };
  }

  it.each(['approve', 'deny'])('%s where a person must', async (decision) => {
    const { approval_id, attempt_id } = await asked();
    const place = `/api/approvals/${approval_id}/answer`;
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
