import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually, processesOfRun } from '../support/eventually.js';
import type { Json } from '../support/mcp-client.js';
import { AgentGround } from './agent-ground.js';
import { allExecutors, describeEach } from './cli/installed-clis.js';
import { edits } from './model-server/scenarios.js';

describeEach(allExecutors, (cli) => {
  let ground: AgentGround;

  beforeAll(async () => {
    ground = await AgentGround.start(cli);
  });
  afterAll(() => ground?.stop());

  it('edits by tools of its own, and goes on in the same session', async () => {
    const { attempt_id, ...ended } = await ground.run('edit', 'Write two files.');
    expect(ended).toMatchObject({
      state: 'completed',
      failure_summary: null,
      final_message: expect.stringContaining('The model has done: Write two files.'),
    });
    const { files } = await ground.client.call('get_attempt_changes', { attempt_id });
    expect(files).toEqual([`web/${edits.command}`, `web/${edits.file}`]);
    const said = await ground.entries(attempt_id as string);
    expectToolCallsWithResults(said, 2);
    expect(toolUses(said).map(({ content }) => content as string)).toEqual([
      expect.stringContaining(edits.command),
      expect.stringContaining(edits.file),
    ]);

    const session = await ground.agentSession(attempt_id as string);
    expect(session).toEqual(expect.any(String));
    expect(await ground.followUp(attempt_id as string, 'answer', 'What was it?')).toMatchObject({
      state: 'completed',
      final_message: expect.stringContaining('What was it?'),
    });
    expect(await ground.agentSession(attempt_id as string)).toBe(session);
    const [asked] = ground.model.asked('What was it?');
    expect(asked!.earlierResults).toBeGreaterThanOrEqual(2); // some send each twice
    expect(asked!.whole).toContain('The model has done: Write two files.');
    const later = await ground.entries(attempt_id as string);
    expect(later.filter(({ metadata }) => metadata?.kind === 'session_lost')).toEqual([]);
    expectToolCallsWithResults(later, 2);
  });

  it.each([
    ['has just begun', 0],
    ['has run for a second', 1_000],
  ])(
    'is stopped in a tool that %s, nothing of it is left, and it goes on in the same session',
    async (what, pauseMs) => {
      const attempt_id = await ground.begin('long_tool', 'Wait for ever.');
      const run = await ground.untilToolRuns(attempt_id, 'tail');
      await delay(pauseMs);
      const since = performance.now();
      expect(await ground.client.call('stop_attempt', { attempt_id })).toMatchObject({
        stopped: true,
        state: 'failed',
      });
      process.stdout.write(
        `${cli.executor}: stopped in a tool that ${what}: ${Math.round(performance.now() - since)} ms\n`,
      );
      expect(processesOfRun(run)).toEqual([]);
      expect(await ground.client.call('get_attempt_status', { attempt_id })).toMatchObject({
        state: 'failed',
        failure_summary: 'killed',
      });

      const session = await ground.agentSession(attempt_id);
      const prompt = `Go on after a tool that ${what}.`;
      expect(await ground.followUp(attempt_id, 'answer', prompt)).toMatchObject({
        state: 'completed',
        final_message: expect.stringContaining(prompt),
      });
      expect(await ground.agentSession(attempt_id)).toBe(session);
      expect(ground.model.asked(prompt)[0]!.whole).toContain('Wait for ever.');
      expect((await ground.entries(attempt_id)).filter(({ metadata }) => metadata?.kind === 'session_lost')).toEqual(
        [],
      );
    },
  );

  it('is stopped while the model is silent, and nothing of it is left', async () => {
    const attempt_id = await ground.begin('silence', 'Say something.');
    await eventually('the question', () => ground.model.asked('Say something.').length > 0, 60_000);
    const { execution_process_id } = await ground.client.call('stop_attempt', { attempt_id });
    expect(processesOfRun(execution_process_id as string)).toEqual([]);
    expect(await ground.client.call('get_attempt_status', { attempt_id })).toMatchObject({
      state: 'failed',
      failure_summary: 'killed',
    });
  });
});

const toolUses = (entries: Json[]): Json[] => entries.filter(({ type }) => type === 'tool_use');

/** Each call once, each with its result after it. */
function expectToolCallsWithResults(entries: Json[], count: number): void {
  const calls = toolUses(entries).map(({ tool_call }) => tool_call as string);
  expect(calls).toHaveLength(count);
  expect(entries.filter(({ type }) => type === 'tool_result').map(({ tool_call }) => tool_call as string)).toEqual(
    calls,
  );
}
