import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';
import { sendLegacy } from '../../support/rpc.js';
import { fetchAsOwner } from '../../support/local-tokens.js';

const core = ['add_task', 'list_tasks', 'complete_task', 'delete_task', 'update_task'];
const extended = ['list_projects', 'assign_task', 'start_task', 'update_progress', 'request_review'];
const tools = [...core, ...extended].map((name) => `taskflow_${name}`);
const user_id = 'ada';
const board = Board.share();
let project_id: string;
beforeAll(async () => {
  project_id = await board.bareProject(user_id);
});

const call = (name: string, args: object = {}): Promise<Json> => board.taskflow.call(name, { user_id, ...args });

/** One call of each tool that succeeds, in an order that makes sense. */
async function everyTool(visit: (name: string, answer: Json, task_id: string) => Promise<void> | void): Promise<void> {
  const { task_id } = await call('taskflow_add_task', { project_id, title: 'All of it' });
  const calls: [string, object][] = [
    ['taskflow_list_projects', {}],
    ['taskflow_list_tasks', { project_id }],
    ['taskflow_assign_task', { task_id, assignee_handle: '@ada' }],
    ['taskflow_start_task', { task_id }],
    ['taskflow_update_progress', { task_id, percent: 50 }],
    ['taskflow_update_task', { task_id, title: 'All of it, now' }],
    ['taskflow_request_review', { task_id }],
    ['taskflow_complete_task', { task_id }],
    ['taskflow_delete_task', { task_id }],
  ];
  for (const [name, args] of calls) await visit(name, await call(name, args), task_id as string);
}

describe('functional requirements', () => {
  it('FR-001: exposes 10 tools, 5 core and 5 extended', async () => {
    const listed = (await board.taskflow.sdk.listTools()).tools.map(({ name }) => name);
    expect([...listed].sort()).toEqual([...tools].sort());
  });

  it('FR-002: speaks stateless Streamable HTTP: no session, no stream, JSON answers', async () => {
    const url = `${board.server.url}/mcp/taskflow`;
    // without initialize, on a new connection
    const { tools: listed } = (JSON.parse((await sendLegacy(url, 'tools/list')).text) as Json).result as Json;
    expect(listed).toHaveLength(10);
    expect((await fetchAsOwner(url)).status).toBe(405);
    const answer = await fetchAsOwner(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect([answer.headers.get('content-type'), answer.headers.get('mcp-session-id')]).toEqual([
      expect.stringMatching(/^application\/json/),
      null,
    ]);
    await answer.text();
  });

  it('FR-003: every tool takes user_id, and needs it', async () => {
    for (const { inputSchema } of (await board.taskflow.sdk.listTools()).tools)
      expect(inputSchema).toMatchObject({
        properties: { user_id: { type: 'string' } },
        required: expect.arrayContaining(['user_id']),
      });
  });

  it('FR-004: does nothing that REST does not do: both read one board and write one audit', async () => {
    const { task_id } = await call('taskflow_add_task', { project_id, title: 'From the tool' });
    expect(await board.as(user_id).does('GET', `/api/tasks/${task_id}`)).toMatchObject({
      title: 'From the tool',
      project_id,
    });
    await board.as(user_id).does('PATCH', `/api/tasks/${task_id}/status`, { status: 'in_progress' });
    expect(await call('taskflow_update_progress', { task_id, percent: 5 })).toMatchObject({
      status: 'in_progress',
      progress_percent: 5,
    });
    const byRest = await board.task(project_id);
    await board.as(user_id).does('PATCH', `/api/tasks/${byRest}/status`, { status: 'in_progress' });
    await board.as(user_id).does('PATCH', `/api/tasks/${byRest}/progress`, { percent: 5 });
    const facts = async (id: string) =>
      (await board.audit(id)).slice(1).map(({ action, actor, details }) => ({ action, actor, details }));
    expect(await facts(task_id as string)).toEqual(await facts(byRest));
  });

  it('FR-005: answers JSON, as text too', async () => {
    const { content, structuredContent } = await board.taskflow.sdk.callTool({
      name: 'taskflow_add_task',
      arguments: { user_id, project_id, title: 'JSON' },
    });
    expect(JSON.parse((content as { text: string }[])[0]!.text)).toEqual(structuredContent);
    const refusal = await board.taskflow.sdk.callTool({
      name: 'taskflow_add_task',
      arguments: { user_id, project_id },
    });
    expect([refusal.isError, JSON.parse((refusal.content as { text: string }[])[0]!.text)]).toEqual([
      true,
      refusal.structuredContent,
    ]);
  });

  it('FR-006: includes ids and status in every answer', async () => {
    await everyTool((name, answer, task_id) => {
      const row = Array.isArray(answer.result) ? (answer.result as Json[])[0] : answer;
      expect([name, row!.task_id ?? row!.id]).toEqual([
        name,
        name === 'taskflow_list_projects' ? expect.any(String) : task_id,
      ]);
      if (name !== 'taskflow_list_projects') expect(row!.status).toEqual(expect.any(String));
    });
  });

  it('FR-007: refuses with a message that tells what to do', async () => {
    for (const name of tools) {
      const refusal = await board.taskflow.refused(name, {});
      expect(refusal).toMatchObject({
        error: true,
        code: 'invalid_argument',
        retryable: false,
        message: expect.stringContaining('user_id is required'),
        hint: expect.stringMatching(/\w/),
      });
    }
  });
});

describe('success criteria', () => {
  it('SC-002: an SDK client connects and lists all tools, each with a description and annotations', async () => {
    for (const { description, annotations } of (await board.taskflow.sdk.listTools()).tools) {
      expect(description).toMatch(/^Use when: .+\nRequired: .+\nOptional: .+\nNext: .+\nAvoid: .+$/);
      expect(annotations).toMatchObject({
        openWorldHint: expect.any(Boolean),
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
        idempotentHint: expect.any(Boolean),
      });
    }
  });

  it('SC-002: says which tools read and which destroy', async () => {
    const { tools: listed } = await board.taskflow.sdk.listTools();
    const named = (hint: 'readOnlyHint' | 'destructiveHint') =>
      listed
        .filter(({ annotations }) => annotations?.[hint])
        .map(({ name }) => name)
        .sort();
    expect(named('readOnlyHint')).toEqual(['taskflow_list_projects', 'taskflow_list_tasks']);
    expect(named('destructiveHint')).toContain('taskflow_delete_task');
    expect(named('destructiveHint')).not.toContain('taskflow_add_task');
  });

  it('SC-003: every write answers task_id, status and title', async () => {
    const statuses: Record<string, string> = {};
    await everyTool((name, { task_id, status, title }) => {
      if (task_id === undefined) return;
      expect([task_id, title]).toEqual([expect.any(String), expect.stringMatching(/^All of it/)]);
      statuses[name] = status as string;
    });
    expect(statuses).toEqual({
      taskflow_assign_task: 'assigned',
      taskflow_start_task: 'in_progress',
      taskflow_update_progress: 'in_progress',
      taskflow_update_task: 'updated',
      taskflow_request_review: 'review',
      taskflow_complete_task: 'completed',
      taskflow_delete_task: 'deleted',
    });
  });

  it('SC-006: every change has its audit row, every call its row of tool_invocations', async () => {
    const before = await board.auditRows();
    const counted: string[] = [];
    await everyTool(async (name, _, task_id) => {
      counted.push(`${name} ${(await board.audit(task_id)).length}`);
    });
    // created 1, assigned 2, started 3, progress 4, updated 5, review 6, completed 7, deleted 8; reads none
    expect(counted.map((line) => Number(line.split(' ')[1]))).toEqual([1, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await board.auditRows()).toBe(before + 8);
    const { tools: used } = await board.rest.does('GET', '/api/tool-invocations/summary');
    expect(
      (used as Json[])
        .filter(({ toolset }) => toolset === 'taskflow')
        .map(({ tool }) => tool as string)
        .sort(),
    ).toEqual([...tools].sort());
  });
});
