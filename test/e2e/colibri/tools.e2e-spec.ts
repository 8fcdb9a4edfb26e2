import { beforeAll, describe, expect, it } from '@jest/globals';
import { toolRuleViolations } from '../../support/tool-rules.js';
import { colibriToolset } from '../../../src/toolsets/colibri/colibri.toolset.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { nowhere } from '../../support/board-fixture.js';
import { TestServer } from '../../support/server.js';

const taskTools = ['task_create', 'task_get', 'task_update', 'task_list', 'task_next_actions'];
const recordTools = ['thought_record', 'thought_record_list', 'audit_verify_chain'];
const server = TestServer.use();
let client: McpClient;
beforeAll(async () => {
  client = await server.mcp('', '/mcp/colibri');
});

const task = (fields: object) => ({
  id: expect.any(String),
  project_id: null,
  description: null,
  status: 'INIT',
  priority: null,
  assignee: null,
  created_at: expect.any(String),
  updated_at: expect.any(String),
  deleted_at: null,
  is_blocked: false,
  ...fields,
});
const data = async (name: string, args: object = {}): Promise<Json> => (await client.call(name, args)).data as Json;
const create = async (title: string, more: object = {}): Promise<string> =>
  (await data('task_create', { title, ...more })).id as string;
const think = (task_id: string): Promise<Json> =>
  client.call('thought_record', { task_id, type: 'reflection', agent_id: '@claude', content: 'Tests pass.' });
/** The whole answer, as it is on the wire. */
const wire = async (name: string, args: object): Promise<Json> => {
  const { isError = false, structuredContent } = await client.sdk.callTool({ name, arguments: args as Json });
  return { isError, ...(structuredContent as Json) };
};
const additive = { retryable: expect.any(Boolean), hint: expect.any(String) };
const invalid = (message: RegExp, field: string, next?: object) => ({
  isError: true,
  ok: false,
  error: {
    code: 'INVALID_PARAMS',
    message: expect.stringMatching(message),
    details: { issues: [{ field, message: expect.stringMatching(message) }], ...(next ? { next } : {}) },
    ...additive,
  },
});

describe('registration', () => {
  it('registerTaskTools registers 5 tools, and the three of the records beside them', async () => {
    expect((await client.sdk.listTools()).tools.map(({ name }) => name)).toEqual([...taskTools, ...recordTools]);
  });

  it('registerTaskTools throws on duplicate: a toolset with a tool twice breaks the rules of the build', () => {
    const twice = { ...colibriToolset, tools: [...colibriToolset.tools, colibriToolset.tools[0]!] };
    expect(toolRuleViolations(twice)).toContain('task_create: the name is used twice');
    expect(toolRuleViolations(colibriToolset)).toEqual([]);
  });
});

describe('task_create', () => {
  it('happy path', async () => {
    expect(await wire('task_create', { title: 'Add a health check' })).toEqual({
      isError: false,
      ok: true,
      data: task({ title: 'Add a health check' }),
    });
    const all = {
      title: 'All fields',
      status: 'PLAN',
      description: 'Answer 200.',
      priority: 'P1',
      assignee: 'the night shift',
    };
    expect(await data('task_create', { ...all, project_id: null })).toEqual(task(all));
  });

  it('Zod rejects missing title', async () => {
    expect(await wire('task_create', {})).toEqual(invalid(/title is required/, 'title'));
    expect(await wire('task_create', { title: '' })).toEqual(invalid(/title must not be (blank|empty)/, 'title'));
  });
});

describe('task_get', () => {
  it('found', async () => {
    const id = await create('Find me', { assignee: 'Ada' });
    expect(await wire('task_get', { id })).toEqual({
      isError: false,
      ok: true,
      data: task({ id, title: 'Find me', assignee: 'Ada' }),
    });
  });

  it('not found → ERR_NOT_FOUND', async () => {
    for (const id of [nowhere, '17', "'; DROP TABLE tasks; --", '日本']) {
      expect(await wire('task_get', { id })).toEqual({
        isError: false,
        ok: true,
        data: {
          ok: false,
          error: {
            code: 'ERR_NOT_FOUND',
            message: `Task not found: ${id}`,
            taskId: id,
            retryable: false,
            hint: expect.stringContaining('task_list'),
            details: { next: { tool: 'task_list', arguments: {} } },
          },
        },
      });
    }
  });

  it('Zod rejects missing id', async () => {
    expect(await wire('task_get', {})).toEqual(invalid(/id is required/, 'id', { tool: 'task_list', arguments: {} }));
    expect(await wire('task_get', { id: 17 })).toEqual(invalid(/id must be string/, 'id'));
  });
});

describe('task_update', () => {
  it('happy path', async () => {
    const id = await create('Old', { description: 'stays' });
    expect(await wire('task_update', { id, patch: { title: 'New', status: 'ANALYZE' } })).toEqual({
      isError: false,
      ok: true,
      data: task({ id, title: 'New', description: 'stays', status: 'ANALYZE' }),
    });
  });

  it('not found → ERR_NOT_FOUND', async () => {
    expect(await wire('task_update', { id: nowhere, patch: { title: 'x' } })).toEqual({
      isError: false,
      ok: true,
      data: {
        ok: false,
        error: {
          code: 'ERR_NOT_FOUND',
          message: `Task not found: ${nowhere} (operation: update)`,
          taskId: nowhere,
          retryable: false,
          hint: expect.any(String),
          details: { next: { tool: 'task_list', arguments: {} } },
        },
      },
    });
  });

  it('status→DONE without thought_record → ERR_WRITEBACK_REQUIRED', async () => {
    const id = await create('Not yet');
    expect(await wire('task_update', { id, patch: { status: 'DONE' } })).toEqual({
      isError: false,
      ok: true,
      data: {
        ok: false,
        error: {
          code: 'ERR_WRITEBACK_REQUIRED',
          message: `Writeback required for task ${id}: missing thought_record`,
          missing_fields: ['thought_record'],
          taskId: id,
          retryable: false,
          hint: expect.stringContaining('thought_record'),
          details: { next: { tool: 'thought_record', arguments: { task_id: id } } },
        },
      },
    });
    expect((await data('task_get', { id })).status).toBe('INIT');
  });

  it('status→DONE WITH thought_record → success', async () => {
    const id = await create('Done');
    await think(id);
    expect(await wire('task_update', { id, patch: { status: 'DONE' } })).toEqual({
      isError: false,
      ok: true,
      data: task({ id, title: 'Done', status: 'DONE' }),
    });
  });

  it('Zod rejects invalid status', async () => {
    const id = await create('Status');
    for (const status of ['shipped', 'in_progress', ''])
      expect(await wire('task_update', { id, patch: { status } })).toEqual(
        invalid(/must be one of: INIT, GATHER, ANALYZE, PLAN, APPLY, VERIFY, DONE, CANCELLED/, 'patch.status'),
      );
  });
});

describe('task_list', () => {
  it('happy path', async () => {
    const id = await create('Listed');
    const answer = await wire('task_list', {});
    expect(answer).toEqual({
      isError: false,
      ok: true,
      data: { tasks: expect.arrayContaining([task({ id, title: 'Listed' })]), total_count: expect.any(Number) },
    });
    expect(answer.data.tasks).toHaveLength(answer.data.total_count as number);
  });

  it('with status filter', async () => {
    const id = await create('Verified', { status: 'VERIFY' });
    expect(await data('task_list', { status: 'VERIFY' })).toEqual({
      tasks: [task({ id, title: 'Verified', status: 'VERIFY' })],
      total_count: 1,
    });
  });
});

describe('task_next_actions', () => {
  it('returns only non-terminal tasks', async () => {
    const { tasks, total_count } = await data('task_next_actions');
    expect(tasks).toHaveLength(total_count as number);
    expect(total_count).toBeGreaterThan(0);
    for (const status of (tasks as Json[]).map((row) => row.status as string))
      expect(['INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY']).toContain(status);
  });

  it('excludes DONE and CANCELLED', async () => {
    const [done, cancelled, live] = [
      await create('Closed', { status: 'DONE' }),
      await create('Dropped', { status: 'CANCELLED' }),
      await create('Live', { status: 'APPLY' }),
    ];
    const ids = ((await data('task_next_actions')).tasks as Json[]).map(({ id }) => id as string);
    expect([done, cancelled, live].map((id) => ids.includes(id))).toEqual([false, false, true]);
  });
});
