import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AgentGround } from './agent-ground.js';
import { allExecutors, describeEach } from './cli/installed-clis.js';
import type { OfferedTool } from './model-server/dialect.js';
import { isTool, searchTool } from './model-server/tool-calls.js';

/** What no run may call, and is not shown. */
const notForRuns = ['open_pull_request', 'delete_task', 'follow_up', 'start_task_attempt', 'stop_attempt'];

describeEach(allExecutors, (cli) => {
  let ground: AgentGround;

  beforeAll(async () => {
    ground = await AgentGround.start(cli);
  });
  afterAll(() => ground?.stop());

  it('has every tool that a run may call at hand, and learns from one which attempt it works on', async () => {
    const { attempt_id, ...ended } = await ground.run('get_context', 'Where are you?');
    const asked = ground.model.asked('Where are you?');
    expect(missingTools(await ground.client.sdk.listTools(), asked[0]!.tools)).toEqual([]);
    expect(notForRuns.filter((name) => asked[0]!.tools.some(isTool(name)))).toEqual([]);
    expect(asked.at(-1)!.results.at(-1)).toContain(attempt_id);
    expect(ended).toMatchObject({ state: 'completed' });
  });
});

/** Tools of the board for runs that the model is not offered. With a search it is: it finds them when it needs them. */
function missingTools({ tools }: { tools: { name: string }[] }, offered: OfferedTool[]): string[] {
  if (offered.some(isTool(searchTool))) return [];
  return tools.map(({ name }) => name).filter((name) => !notForRuns.includes(name) && !offered.some(isTool(name)));
}
