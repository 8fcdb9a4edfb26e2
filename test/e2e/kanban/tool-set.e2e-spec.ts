import { beforeAll, describe, expect, it } from '@jest/globals';
import { errorCatalogue } from '../../../src/platform/errors/error-catalogue.js';
import { givenEndedAttempt, givenProject, type Project } from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

const toolNames = [
  'list_projects',
  'list_repos',
  'list_executors',
  'list_tasks',
  'list_events',
  'get_task',
  'create_task',
  'update_task',
  'delete_task',
  'list_task_attempts',
  'start_task_attempt',
  'get_attempt_status',
  'wait_for_attempts',
  'tail_attempt_logs',
  'tail_session_messages',
  'get_attempt_changes',
  'get_attempt_file',
  'get_attempt_patch',
  'follow_up',
  'stop_attempt',
  'get_attempt_delivery',
  'update_attempt_branch',
  'merge_attempt',
  'push_attempt',
];

const server = TestServer.share();
let client: McpClient;
let project: Project;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
});

async function tool(name: string, of = client): Promise<Json> {
  const { tools } = await of.sdk.listTools();
  return tools.find((one) => one.name === name)!;
}

/** Every field of a schema, nested ones with their path. */
function fieldsOf(schema: Json, path = ''): [string, Json][] {
  const here = Object.entries((schema.properties ?? {}) as Json).map(
    ([name, field]) => [`${path}${name}`, field as Json] as [string, Json],
  );
  return here.flatMap(
    ([name, field]) =>
      [
        [name, field],
        ...[field, field.items, ...(field.anyOf ?? [])].filter(Boolean).flatMap((inner) => fieldsOf(inner, `${name}.`)),
      ] as [string, Json][],
  );
}

const conditionalBranches = (schema: Json): Json[] => (schema.then?.oneOf ?? schema.oneOf) as Json[];

describe('MCP task tool set', () => {
  it('Tools are discoverable', async () => {
    const { tools } = await client.sdk.listTools();
    expect(tools.map((one) => one.name)).toEqual(toolNames);
    const { attempt_id } = await givenEndedAttempt(client, project.project_id);
    const bound = await server.mcp(`?attempt_id=${attempt_id}`);
    expect((await bound.sdk.listTools()).tools.map((one) => one.name)).toEqual([...toolNames, 'get_context']);
  });
});

describe('Attempt terminology and identifiers', () => {
  it('No workspace_id alias in MCP schemas', async () => {
    const { tools } = await client.sdk.listTools();
    expect(JSON.stringify(tools)).not.toMatch(/workspace_id|workspaceId/);
    const { attempt_id, task_id } = await givenEndedAttempt(client, project.project_id);
    const answers = [
      await client.call('list_task_attempts', { task_id }),
      await client.call('get_attempt_status', { attempt_id }),
      await client.call('list_tasks', { project_id: project.project_id }),
    ];
    expect(JSON.stringify(answers)).not.toContain('workspace_id');
    expect(answers[0]!.attempts[0].attempt_id).toBe(attempt_id);
  });

  it('gives every id as a UUID and every time as RFC 3339', async () => {
    const { task_id, attempt_id } = await givenEndedAttempt(client, project.project_id);
    const answers = [
      await client.call('list_projects'),
      await client.call('list_repos', { project_id: project.project_id }),
      await client.call('list_tasks', { project_id: project.project_id }),
      await client.call('get_task', { task_id }),
      await client.call('list_task_attempts', { task_id }),
      await client.call('get_attempt_status', { attempt_id }),
      await client.call('tail_attempt_logs', { attempt_id }),
      await client.call('tail_session_messages', { attempt_id }),
    ];
    const leaves = (value: unknown, name = ''): [string, unknown][] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([key, item]) => leaves(item, Array.isArray(value) ? name : key))
        : [[name, value]];
    const found = answers.flatMap((answer) => leaves(answer)).filter(([, value]) => value !== null);
    const ids = found.filter(([name]) => name.endsWith('_id'));
    const times = found.filter(([name]) => name.endsWith('_at'));
    expect([...new Set(ids.map(([name]) => name))]).toEqual(
      expect.arrayContaining([
        'project_id',
        'repo_id',
        'task_id',
        'attempt_id',
        'latest_session_id',
        'session_id',
        'latest_execution_process_id',
        'turn_id',
      ]),
    );
    for (const [, id] of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(times.length).toBeGreaterThan(10);
    for (const [, time] of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
});

describe('Schema field documentation', () => {
  it('Field docs are present', async () => {
    const { inputSchema, outputSchema } = await tool('list_task_attempts');
    const fields = [...fieldsOf(inputSchema), ...fieldsOf(outputSchema)];
    expect(fields.map(([path]) => path)).toEqual(
      expect.arrayContaining([
        'task_id',
        'limit',
        'attempts',
        'attempts.attempt_id',
        'attempts.latest_session_id',
        'latest_attempt_id',
      ]),
    );
    for (const [path, field] of fields)
      expect([path, field.description]).toEqual([path, expect.stringMatching(/\S{2,}.*\s/)]);
  });

  it('describes every field of every tool, with its format or its values', async () => {
    const { tools } = await client.sdk.listTools();
    const fields = tools.flatMap((one) =>
      [...fieldsOf(one.inputSchema as Json), ...fieldsOf(one.outputSchema as Json)].map(
        ([path, field]) => [`${one.name} ${path}`, field] as const,
      ),
    );
    expect(fields.length).toBeGreaterThan(200);
    const kindOf = (field: Json) => (field.anyOf?.[0] ?? field) as Json;
    const mentions = { uuid: /UUID/, 'date-time': /RFC 3339/ } as Record<string, RegExp>;
    const poor = fields.filter(
      ([, field]) =>
        !field.description?.trim() || !(mentions[kindOf(field).format as string] ?? /./).test(field.description),
    );
    expect(poor.map(([path]) => path)).toEqual([]);
    const unlisted = fields.filter(([, field]) =>
      ((kindOf(field).enum ?? []) as string[]).some((value) => !(field.description as string).includes(value)),
    );
    expect(unlisted.map(([path]) => path)).toEqual([]);
  });
});

describe('Agent-guided tool descriptions', () => {
  it('Tool description contains guidance headings', async () => {
    const { description } = await tool('follow_up');
    for (const heading of ['Use when:', 'Required:', 'Optional:', 'Next:', 'Avoid:'])
      expect(description).toContain(heading);
    expect(description).toMatch(
      /Required: action, exactly one of attempt_id \| session_id; prompt when action is send or queue/,
    );
  });

  it('guides with the five headings, in order, in every tool, and names only tools that exist', async () => {
    const { tools } = await (
      await server.mcp(`?attempt_id=${(await givenEndedAttempt(client, project.project_id)).attempt_id}`)
    ).sdk.listTools();
    for (const { name, description } of tools) {
      expect([name, description]).toEqual([
        name,
        expect.stringMatching(/^Use when: .+\n+Required: .+\n+Optional: .+\n+Next: .+\n+Avoid: .+$/),
      ]);
      expect([...toolNames, 'get_context']).toContain(/Next: (\w+)/.exec(description!)?.[1]);
    }
  });
});

describe('Mode-specific schemas for mode-specific requirements', () => {
  it('Follow-up send requires prompt by schema', async () => {
    for (const query of ['', '?schema=oneof']) {
      const { inputSchema } = await tool('follow_up', await server.mcp(query));
      const branches = conditionalBranches(inputSchema);
      const of = (action: string) => branches.filter((branch) => branch.properties.action.enum.includes(action));
      expect([of('send').length, of('queue').length, of('cancel').length]).toEqual([2, 2, 2]);
      for (const branch of [...of('send'), ...of('queue')]) expect(branch.required).toContain('prompt');
      for (const branch of of('cancel')) expect(JSON.stringify(branch.not)).toContain('"prompt"');
      for (const branch of branches)
        expect(branch.required.filter((field: string) => ['attempt_id', 'session_id'].includes(field))).toHaveLength(1);
    }
  });

  it('says it in words where conditionals are refused', async () => {
    const { inputSchema } = await tool('follow_up', await server.mcp('?schema=flat'));
    expect(conditionalBranches(inputSchema)).toBeUndefined();
    expect(inputSchema.properties.prompt.description).toContain('Required when action is send or queue');
    expect(inputSchema.properties.session_id.description).toContain('Pass exactly one of attempt_id and session_id.');
  });
});

describe('what agents read', () => {
  it('is in one language', async () => {
    const { tools } = await client.sdk.listTools();
    const texts = [
      ...Object.values(errorCatalogue).flatMap(({ message, hint }) => [message, hint]),
      ...tools.map((tool) => JSON.stringify(tool)),
      client.sdk.getInstructions()!,
    ];
    expect(texts.filter((text) => !/^[\x20-\x7e\n]+$/.test(text))).toEqual([]);
  });
});
