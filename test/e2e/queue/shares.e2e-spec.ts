import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gate, givenProject, givenTask, untilEnded, untilLine } from '../../support/board.js';
import type { McpClient } from '../../support/mcp-client.js';
import type { Json } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

const SHARED = { MAX_CONCURRENT_EXECUTIONS: '4' };

describe.each([
  ['project_cap', { MAX_CONCURRENT_PER_PROJECT: '1' }],
  ['executor_cap', { MAX_CONCURRENT_PER_EXECUTOR: 'SHELL=1' }],
] as const)('a turn that waits for %s', (reason, cap) => {
  let server: TestServer;
  let client: McpClient;
  let project_id: string;

  beforeAll(async () => {
    server = await TestServer.start({ ...SHARED, ...cap });
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
  });
  afterAll(() => server.stop());

  const start = async (script: string, priority?: string): Promise<string> => {
    const task_id = await givenTask(client, project_id, script);
    if (priority) await server.query('UPDATE tasks SET priority = $2 WHERE id = $1', [task_id, priority]);
    return (await client.call('start_task_attempt', { task_id, executor: 'SHELL' })).attempt_id as string;
  };
  const status = (attempt_id: string) => client.call('get_attempt_status', { attempt_id });

  it('says so, and runs once there is room, those of higher priority first', async () => {
    const { wait, open } = gate(server);
    const busy = await start(`echo ready; ${wait}`);
    await untilLine(client, busy, 'ready');
    const names = ['low', 'none', 'high', 'Critical', 'urgent'];
    const attempts = new Map<string, string>();
    for (const name of names) attempts.set(name, await start(`echo ${name}`, name === 'none' ? undefined : name));
    const places = await Promise.all(names.map(async (name) => status(attempts.get(name)!)));
    expect(places.map(({ queue_position, waiting_reason }) => [queue_position, waiting_reason])).toEqual(
      [5, 4, 3, 1, 2].map((place) => [place, { code: reason, label: null }]),
    );
    const { columns } = await server.rest.does('GET', `/api/projects/${project_id}/board`);
    const cards = (columns as Json[]).flatMap((column) => column.cards as Json[]);
    const shown = new Map(cards.map((card) => [card.latest_attempt_id as string, card.queue_position as number]));
    expect([busy, ...attempts.values()].map((id) => shown.get(id))).toEqual([null, 5, 4, 3, 1, 2]);
    open();
    for (const attempt_id of attempts.values())
      expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed', waiting_reason: null });
    const rows = await server.query<{ prompt: string }>(
      'SELECT final_message AS prompt FROM executions WHERE attempt_id = ANY($1) ORDER BY started_at',
      [[...attempts.values()]],
    );
    expect(rows.map(({ prompt }) => prompt)).toEqual(['Critical', 'urgent', 'high', 'none', 'low']);
  });

  it('runs beside another project or executor, which has room of its own', async () => {
    const { wait, open } = gate(server);
    const busy = await start(`echo ready; ${wait}`);
    await untilLine(client, busy, 'ready');
    const isOfProject = reason === 'project_cap';
    const other = isOfProject ? (await givenProject(server, { name: 'Other' })).project_id : project_id;
    const task_id = await givenTask(client, other, 'echo beside');
    const executor = isOfProject ? 'SHELL' : 'DEMO';
    const { attempt_id } = await client.call('start_task_attempt', { task_id, executor });
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({ state: 'completed' });
    expect(await status(busy)).toMatchObject({ state: 'running' });
    open();
    await untilEnded(client, busy);
  });
});
