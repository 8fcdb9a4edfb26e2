import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createAjv } from '../../../src/platform/fields/input-parser.js';
import { schemaProfiles } from '../../../src/platform/fields/schema-profiles.js';
import { Board } from '../../support/board-fixture.js';
import { TestGateway } from '../../support/gateway.js';
import { type Json, McpClient } from '../../support/mcp-client.js';

const board = Board.share();
const opened: McpClient[] = [];
let gateway: TestGateway;
let project_id: string;
let other: string;

beforeAll(async () => {
  gateway = await TestGateway.start(board.server.url);
  [project_id, other] = [await board.bareProject(undefined, 'Here'), await board.bareProject(undefined, 'There')];
});
afterAll(async () => {
  await Promise.all(opened.map((client) => client.close()));
  await gateway.stop();
});

async function at(path: string, url = board.server.url): Promise<McpClient> {
  const client = await McpClient.connect(`${url}${path}`);
  opened.push(client);
  return client;
}

describe('an endpoint with ?project_id=', () => {
  it.each([
    ['the server', () => board.server.url],
    ['the gateway', () => gateway.url],
  ])('means its project where a call names none, and is no wall: %s', async (_, url) => {
    const client = await at(`/mcp?project_id=${project_id}`, url());
    const { task_id } = await client.call('create_task', { title: 'Here' });
    expect((await client.call('get_task', { task_id })).task.project_id).toBe(project_id);
    expect((await client.call('list_tasks')).tasks[0].task_id).toBe(task_id);
    const there = await client.call('create_task', { title: 'There', project_id: other });
    expect((await client.call('get_task', there)).task.project_id).toBe(other);
    expect((await client.call('list_tasks', { project_id: other })).tasks[0].task_id).toBe(there.task_id);
  });

  it('says so in its schemas', async () => {
    for (const profile of schemaProfiles) {
      const { tools } = await (await at(`/mcp?project_id=${project_id}&schema=${profile}`)).sdk.listTools();
      const { inputSchema } = tools.find(({ name }) => name === 'list_tasks')!;
      const ajv = createAjv();
      expect(ajv.compile(inputSchema)({})).toBe(true);
      expect((inputSchema.properties as Json).project_id.description).toContain('Default: that of this endpoint');
      const plain = await board.kanban.sdk.listTools();
      expect(ajv.compile(plain.tools.find(({ name }) => name === 'list_tasks')!.inputSchema)({})).toBe(false);
    }
  });

  it('serves the other dialects, too; null stays no project', async () => {
    const taskflow = await at(`/mcp/taskflow?project_id=${project_id}`);
    const { task_id } = await taskflow.call('taskflow_add_task', { user_id: 'ada', title: 'By TaskFlow' });
    expect((await board.kanban.call('get_task', { task_id })).task.project_id).toBe(project_id);
    const colibri = await at(`/mcp/colibri?project_id=${project_id}`);
    const [here, nowhere] = [
      await colibri.call('task_create', { title: 'By Colibri' }),
      await colibri.call('task_create', { title: 'Of nobody', project_id: null }),
    ];
    expect([here.data.project_id, nowhere.data.project_id]).toEqual([project_id, null]);
  });

  it('refuses a project that is not there where it is used, with the tool that lists them', async () => {
    const client = await at('/mcp?project_id=0198c0de-0000-7000-8000-00000000dead');
    expect(await client.refused('list_tasks', {})).toMatchObject({
      code: 'project_not_found',
      hint: expect.stringContaining('list_projects'),
    });
  });
});
