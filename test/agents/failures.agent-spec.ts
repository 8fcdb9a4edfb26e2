import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AgentGround } from './agent-ground.js';
import { allExecutors, describeEach } from './cli/installed-clis.js';
import type { Scenario } from './model-server/scenarios.js';

/** The others go on trying for minutes. */
const quickToGiveUp = ['CLAUDE_CODE', 'CODEX'];
const refusedKey: [Scenario, string][] = [[401, 'bad_key']];
const failures: [Scenario, string][] = [[429, 'rate_limited'], [500, 'model_error'], ['hang_up', 'model_error']];

describeEach(allExecutors, (cli) => {
  let ground: AgentGround;

  beforeAll(async () => {
    ground = await AgentGround.start(cli);
  });
  afterAll(() => ground?.stop());

  it.each([...refusedKey, ...(quickToGiveUp.includes(cli.executor) ? failures : [])])('tells what %s of the model server means: %s', async (scenario, kind) => {
    const { attempt_id, ...ended } = await ground.run(scenario, 'Do anything.');
    expect(ended).toMatchObject({ state: 'failed', failure_summary: expect.any(String) });
    const errors = (await ground.entries(attempt_id as string)).filter(({ type }) => type === 'error_message');
    expect(errors.at(-1)).toMatchObject({ error_kind: kind, metadata: { retryable: kind === 'rate_limited' } });
  });
});
