import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type AuditLine, Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

type Operation = (task_id: string) => Promise<unknown>;

const users = ['ada', '@claude', '@codex'];
const board = Board.use();
let project_id: string;
beforeAll(async () => {
  project_id = await board.bareProject();
  for (const handle of ['@claude', '@codex']) await board.worker(handle);
});

const taskflow =
  (name: string, args: object = {}): Operation =>
  (task_id) =>
    board.taskflow.sdk.callTool({ name: `taskflow_${name}`, arguments: { task_id, ...args } });
const rest =
  (method: string, end: string, body: object): Operation =>
  (task_id) =>
    board.rest.send(method, `/api/tasks/${task_id}${end}`, body);
const kanban =
  (args: object): Operation =>
  (task_id) =>
    board.kanban.sdk.callTool({ name: 'update_task', arguments: { task_id, ...args } });
const colibri =
  (patch: object): Operation =>
  (id) =>
    board.colibri.sdk.callTool({ name: 'task_update', arguments: { id, patch } });

/** Anything anybody may try on a task, whether it is allowed at that moment or not. */
const operations: fc.Arbitrary<Operation> = fc.oneof(
  fc
    .tuple(fc.constantFrom('start_task', 'request_review', 'complete_task'), fc.constantFrom(...users))
    .map(([name, user_id]) => taskflow(name, { user_id })),
  fc
    .tuple(fc.constantFrom(...users), fc.nat(100))
    .map(([user_id, percent]) => taskflow('update_progress', { user_id, percent })),
  fc
    .tuple(fc.constantFrom(...users), fc.constantFrom('@claude', '@codex'))
    .map(([user_id, assignee_handle]) => taskflow('assign_task', { user_id, assignee_handle })),
  fc
    .constantFrom('pending', 'in_progress', 'review', 'completed', 'blocked')
    .map((status) => rest('PATCH', '/status', { status })),
  fc.constantFrom('todo', 'inprogress', 'inreview', 'done', 'cancelled').map((status) => kanban({ status })),
  fc.string({ minLength: 1, maxLength: 5 }).map((title) => kanban({ title: `Title ${title.replaceAll('\0', '')}.` })),
  fc
    .constantFrom('INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE', 'CANCELLED')
    .map((status) => colibri({ status })),
  fc.option(fc.constantFrom('@claude', 'somebody')).map((assignee) => colibri({ assignee })),
  fc.constant<Operation>((task_id) =>
    board.colibri.sdk.callTool({
      name: 'thought_record',
      arguments: { task_id, type: 'plan', agent_id: 'x', content: 'x' },
    }),
  ),
);

/** Follows the rows from the creation on: each must begin where the one before it left off. @returns where they lead */
function replay(rows: AuditLine[]): Json {
  const now: Json = {
    state: { status: 'todo', taskflow_status: 'pending', stage: 'INIT', is_blocked: false },
    assignee: null,
    title: 'Start',
  };
  for (const { action, details } of rows.slice(1)) {
    if (action === 'status_changed') {
      expect(details.before).toEqual(now.state);
      now.state = details.after;
    }
    if (action === 'assigned') {
      expect(details.before).toEqual(now.assignee);
      now.assignee = details.after;
    }
    if (action === 'updated') {
      expect(details.title.before).toEqual(now.title);
      now.title = details.title.after;
    }
  }
  return now;
}

describe('writers of three dialects and REST on one task at once', () => {
  it('are refused or obeyed, and the audit tells exactly how the task came to where it is', async () => {
    const lanes = fc.sample(fc.array(operations, { minLength: 12, maxLength: 12 }), { numRuns: 8, seed: 20_261_121 });
    const task_id = await board.task(project_id, 'Start');
    const answers = await Promise.all(
      lanes.map(async (lane) => {
        const given: unknown[] = [];
        for (const operation of lane) given.push(await operation(task_id));
        return given;
      }),
    );
    expect(
      answers
        .flat()
        .map((answer) => JSON.stringify(answer))
        .filter((answer) => /internal_error|"status":500/.test(answer)),
    ).toEqual([]);

    const task = await board.read(task_id);
    const rows = await board.audit(task_id);
    const { state, assignee, title } = replay(rows);
    expect(rows.length).toBeGreaterThan(20);
    expect({ state, title }).toEqual({
      state: {
        status: task.status,
        taskflow_status: task.taskflow_status,
        stage: task.stage,
        is_blocked: task.is_blocked,
      },
      title: task.title,
    });
    expect(assignee).toBe(task.assignee_id ?? task.assignee);
    expect(task.completed_at === null).toBe(task.stage !== 'DONE');
    expect((await board.colibri.call('audit_verify_chain', { task_id })).data).toMatchObject({
      valid: true,
      record_count: rows.filter(({ action }) => action === 'thought_recorded').length,
    });
  });
});
