import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { processesOfRun } from '../support/eventually.js';
import type { Json } from '../support/mcp-client.js';
import { AgentGround } from './agent-ground.js';
import { allExecutors, describeEach } from './cli/installed-clis.js';
import type { Scenario } from './model-server/scenarios.js';

const meanings: [Scenario, string][] = [
  [401, 'bad_key'],
  [429, 'rate_limited'],
  [500, 'model_error'],
  ['hang_up', 'model_error'],
];
/** These go on trying for longer than two minutes, and say nothing of it. The others tell within 110 s. */
const endless: Record<string, Scenario[]> = { GEMINI: [429, 500, 'hang_up'], QWEN_CODE: [429] };

describeEach(allExecutors, (cli) => {
  let ground: AgentGround;

  beforeAll(async () => {
    ground = await AgentGround.start(cli);
  });
  afterAll(() => ground?.stop());

  const isEndless = (scenario: Scenario): boolean => endless[cli.executor]?.includes(scenario) ?? false;
  const lastError = async (attempt_id: string): Promise<Json | undefined> =>
    (await ground.entries(attempt_id)).filter(({ type }) => type === 'error_message').at(-1);

  it.each(meanings.filter(([scenario]) => !isEndless(scenario)))(
    'tells what %s of the model server means: %s',
    async (scenario, kind) => {
      const { attempt_id, ...ended } = await ground.run(scenario, 'Do anything.');
      expect(ended).toMatchObject({ state: 'failed', failure_summary: expect.any(String) });
      expect(await lastError(attempt_id as string)).toMatchObject({
        error_kind: kind,
        metadata: { retryable: kind === 'rate_limited' },
      });
    },
  );

  for (const scenario of endless[cli.executor] ?? [])
    it(`retries without end at ${scenario} of the model server, until the time of the run is over`, async () => {
      const earlier = ground.model.questions.length;
      const attempt_id = await ground.begin(scenario, 'Do anything.', { timeout_secs: 10 });
      const { latest_execution_process_id: run, ...ended } = await ground.ended(attempt_id);
      expect(ended).toMatchObject({ state: 'failed', failure_summary: 'timed out after 10 s' });
      expect(await lastError(attempt_id)).toMatchObject({ error_kind: 'timeout' });
      expect(ground.model.questions.length).toBeGreaterThan(earlier + 1);
      expect(processesOfRun(run as string)).toEqual([]);
    });
});
