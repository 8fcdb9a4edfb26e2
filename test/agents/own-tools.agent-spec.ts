import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AgentGround } from './agent-ground.js';
import { allExecutors, describeEach } from './cli/installed-clis.js';
import type { OfferedTool } from './model-server/dialect.js';
import { isTool, searchTool } from './model-server/tool-calls.js';

describeEach(allExecutors, (cli) => {
  let ground: AgentGround;

  beforeAll(async () => {
    ground = await AgentGround.start(cli);
  });
  afterAll(() => ground?.stop());

  it('has every tool of the board at hand, and learns from one which attempt it works on', async () => {
    const { attempt_id, ...ended } = await ground.run('get_context', 'Where are you?');
    const asked = ground.model.asked('Where are you?');
    expect(missingTools(await ground.client.sdk.listTools(), asked[0]!.tools)).toEqual([]);
    expect(asked.at(-1)!.results.at(-1)).toContain(attempt_id);
    expect(ended).toMatchObject({ state: 'completed' });
  });
});

/** Tools of the board that the model is not offered. With a search it is: it finds them when it needs them. */
function missingTools({ tools }: { tools: { name: string }[] }, offered: OfferedTool[]): string[] {
  if (offered.some(isTool(searchTool))) return [];
  return tools.map(({ name }) => name).filter((name) => !offered.some(isTool(name)));
}
