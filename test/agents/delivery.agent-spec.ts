import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { moveMain } from '../support/delivery-ground.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/mcp-client.js';
import { userCheckout } from '../support/user-checkout.js';
import { AgentGround } from './agent-ground.js';
import { describeEach } from './cli/installed-clis.js';
import { edits, resolution } from './model-server/scenarios.js';

const MOST_CALLS = 6;

describeEach(['CLAUDE_CODE', 'CODEX'], (cli) => {
  let ground: AgentGround;

  beforeAll(async () => {
    ground = await AgentGround.start(cli, { AGENT_SCOPES: 'own,deliver' });
  });
  afterAll(() => ground?.stop());

  it('gets its own work from a conflict into the target by hints alone', async () => {
    const { repository } = ground.project;
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
    const before = userCheckout(repository);
    const { attempt_id } = await ground.run('edit', 'Write two files.');
    moveMain(repository, { [edits.command]: 'by somebody else\n' });
    const ended = await ground.followUp(attempt_id as string, 'deliver', `Merge attempt ${attempt_id as string}.`);
    expect(ended).toMatchObject({ state: 'completed' });
    expect(repository.git('show', `main:${edits.command}`)).toBe(resolution);
    expect(repository.git('show', `main:${edits.file}`)).toBe('by a file tool');
    expect(userCheckout(repository)).toEqual(before);
    const calls = await callsOf(ended.latest_execution_process_id as string);
    expect(calls[0]).toBe('merge_attempt merge_conflict');
    expect(calls.at(-1)).toBe('merge_attempt null');
    expect(calls.length).toBeLessThanOrEqual(MOST_CALLS);
  });

  /** What the run called of the board, and the code of what was refused. They are written down some time later. */
  async function callsOf(run: string): Promise<string[]> {
    const read = () =>
      ground.server.query<Json>('SELECT tool, code FROM tool_invocations WHERE principal_id = $1 ORDER BY number', [
        `run:${run}`,
      ]);
    await eventually('the last call', async () => {
      const last = (await read()).at(-1);
      return last?.tool === 'merge_attempt' && last.code === null;
    });
    return (await read()).map(({ tool, code }) => `${String(tool)} ${String(code)}`);
  }
});
