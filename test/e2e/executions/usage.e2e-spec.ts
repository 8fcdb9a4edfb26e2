import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenProject, givenTask, untilEnded } from '../../support/board.js';
import { GitSandbox } from '../../support/git-repository.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';
import { acpTold } from '../../support/transcripts.js';
import { fetchAsOwner } from '../../support/local-tokens.js';

const agent = path.join(import.meta.dirname, '../../fixtures/recorded-agent.mjs');

describe('what the turns of a recorded agent have used', () => {
  const sandbox = new GitSandbox();
  const declared = { id: 'RECORDED', command: process.execPath, args: [agent], protocol: 'acp', mcp: false };
  const executor = { ...declared, shared: [sandbox.dir] };
  writeFileSync(sandbox.path('executors.json'), JSON.stringify({ executors: [executor] }));
  const server = TestServer.use({ EXECUTORS_FILE: sandbox.path('executors.json') });
  let client: McpClient;
  let project_id: string;
  let task_id: string;
  let attempt_id: string;

  /** What the agent said in a recorded turn, as a file. */
  const turn = (name: string, index: number): string => {
    const file = sandbox.path(`${name}.${index}.jsonl`);
    writeFileSync(
      file,
      acpTold(name)
        [index - 1]!.map((message) => `${JSON.stringify(message)}\n`)
        .join(''),
    );
    return file;
  };
  const usageOf = async (address: string): Promise<Json> => (await server.rest.get(address)).body.usage;
  const runs = async (): Promise<Json[]> =>
    ((await server.rest.get(`/api/attempts/${attempt_id}/executions`)).body.executions as Json[]).map(
      ({ usage }) => usage as Json,
    );
  const goOn = async (file: string): Promise<void> => {
    await client.call('follow_up', { attempt_id, action: 'send', prompt: file });
    await untilEnded(client, attempt_id);
  };

  beforeAll(async () => {
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
    task_id = await givenTask(client, project_id);
    const first = turn('acp-claude', 1);
    ({ attempt_id } = await client.call('start_task_attempt', { task_id, executor: 'RECORDED', prompt: first }));
    await untilEnded(client, attempt_id);
  });

  afterAll(() => sandbox.remove());

  it('is what the agent said', async () => {
    expect(await runs()).toEqual([
      { input_tokens: 303, cached_input_tokens: 0, output_tokens: 60, cost_usd: 0.003015 },
    ]);
  });

  it('is the difference where the agent tells the cost of the whole conversation', async () => {
    await goOn(turn('acp-claude', 2)); // says 0.00603 for both
    expect((await runs())[0]).toMatchObject({ input_tokens: 303, cost_usd: expect.closeTo(0.003015, 9) });
  });

  it('is all of it where a new process of the agent counts anew', async () => {
    await goOn(turn('acp-claude', 3));
    expect((await runs())[0]).toMatchObject({ input_tokens: 100, output_tokens: 20, cost_usd: 0.001 });
  });

  it('is unknown, not 0, where a turn was cut off before the agent counted', async () => {
    await goOn(turn('acp-gemini', 3));
    expect((await runs())[0]).toBeNull();
  });

  it('is summed in the attempt, the task, the project and its worker, and told to Prometheus', async () => {
    const all = {
      ...{ input_tokens: 706, cached_input_tokens: 0, output_tokens: 140 },
      cost_usd: expect.closeTo(0.00703, 9),
    };
    expect(await usageOf(`/api/attempts/${attempt_id}`)).toEqual(all);
    expect(await usageOf(`/api/tasks/${task_id}`)).toEqual(all);
    const { worker_id } = (
      await server.rest.post('/api/workers', { handle: '@counted', name: 'Counted', type: 'agent' })
    ).body;
    await server.rest.patch(`/api/tasks/${task_id}/assign`, { assignee_id: worker_id });
    for (const query of [`project_id=${project_id}`, `task_id=${task_id}`, `worker_id=${worker_id as string}`])
      expect((await server.rest.get(`/api/usage?${query}`)).body.total).toEqual(all);
    const metrics = await (await fetchAsOwner(`${server.url}/metrics`)).text();
    for (const series of [
      /^taskyard_agent_tokens_total\{executor="RECORDED",kind="input"\} 706$/m,
      /^taskyard_agent_tokens_total\{executor="RECORDED",kind="output"\} 140$/m,
      /^taskyard_agent_cost_usd_total\{executor="RECORDED"\} 0\.0070/m,
    ])
      expect(metrics).toMatch(series);
  });

  it('is unknown for a task that nothing has run for', async () => {
    expect(await usageOf(`/api/tasks/${await givenTask(client, project_id)}`)).toBeNull();
  });
});
