import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Json, McpClient } from '../support/mcp-client.js';
import { AgentGround } from './agent-ground.js';
import { allExecutors, describeEach } from './cli/installed-clis.js';
import { edits } from './model-server/scenarios.js';

describeEach(allExecutors, (cli) => {
  let ground: AgentGround;
  let approvals: McpClient;

  beforeAll(async () => {
    ground = await AgentGround.start(cli);
    approvals = await ground.connect('/mcp/approvals');
  });
  afterAll(async () => {
    await approvals?.close();
    await ground?.stop();
  });

  /** Answers whatever the attempt asks until it ends. @returns what it asked, and its end */
  async function answering(attempt_id: string, decision: 'approve' | 'deny'): Promise<{ asked: Json[]; ended: Json }> {
    const asked: Json[] = [];
    for (;;) {
      const { approvals: pending } = await approvals.call('list_pending_approvals', { attempt_id });
      for (const one of pending as Json[])
        await approvals.call('answer_approval', { approval_id: one.approval_id, decision });
      asked.push(...(pending as Json[]));
      const status = await ground.client.call('get_attempt_status', { attempt_id, wait_ms: 200 });
      if (status.state !== 'running') return { asked, ended: status };
    }
  }
  const filesOf = async (attempt_id: string) =>
    (await ground.client.call('get_attempt_changes', { attempt_id })).files as string[];

  it('asks before it acts in the APPROVALS variant, and does what is approved', async () => {
    const attempt_id = await ground.begin('edit', 'Write two files, if you may.', { variant: 'APPROVALS' });
    const { asked, ended } = await answering(attempt_id, 'approve');
    expect(asked.map(({ summary }) => summary as string)).toEqual([
      expect.stringContaining(edits.command),
      expect.stringContaining(edits.file),
    ]);
    expect(ended).toMatchObject({ state: 'completed' });
    expect(await filesOf(attempt_id)).toEqual([`web/${edits.command}`, `web/${edits.file}`]);
  });

  it('does nothing of what is denied, and is not called completed', async () => {
    const attempt_id = await ground.begin('edit', 'Write two files, if you may.', { variant: 'APPROVALS' });
    const { asked, ended } = await answering(attempt_id, 'deny');
    expect(asked).toHaveLength(1);
    expect(ended).toMatchObject({ state: 'failed' });
    expect(await filesOf(attempt_id)).toEqual([]);
  });
});
