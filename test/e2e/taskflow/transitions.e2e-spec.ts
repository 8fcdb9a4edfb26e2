import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';

const statuses = ['pending', 'in_progress', 'review', 'completed', 'blocked', 'cancelled'] as const;
type Status = (typeof statuses)[number];

/** The table of the specification's product, written out once more by hand. */
const allowed: Record<Status, readonly Status[]> = {
  pending: ['in_progress', 'blocked', 'completed'],
  in_progress: ['review', 'completed', 'blocked'],
  review: ['in_progress', 'completed'],
  completed: ['review'],
  blocked: ['pending', 'in_progress'],
  cancelled: [],
};
const stageOf: Record<Status, string> = {
  pending: 'INIT',
  in_progress: 'PLAN',
  review: 'VERIFY',
  completed: 'DONE',
  blocked: 'PLAN',
  cancelled: 'CANCELLED',
};
/** Tools that move, and where to. */
const movers: Record<string, Status> = {
  taskflow_start_task: 'in_progress',
  taskflow_request_review: 'review',
  taskflow_complete_task: 'completed',
};

const moves = statuses.flatMap((from) => statuses.map((to) => [from, to] as const));
const user_id = 'ada';
const board = Board.share();
let project_id: string;
beforeAll(async () => {
  project_id = await board.bareProject();
});

async function taskIn(status: Status): Promise<string> {
  const task_id = await board.task(project_id);
  if (stageOf[status] !== 'INIT') await board.rest.does('PUT', `/api/tasks/${task_id}`, { stage: stageOf[status] });
  if (status === 'blocked') await board.rest.does('PATCH', `/api/tasks/${task_id}/status`, { status });
  return task_id;
}

const refusal = (from: Status, to: Status) => ({
  code: 'invalid_transition',
  retryable: false,
  details: expect.objectContaining({ from, to }),
  message:
    `Invalid status transition from '${from}' to '${to}'. ` +
    `Valid transitions: [${allowed[from].map((one) => `'${one}'`).join(', ')}]`,
});

describe('PATCH /api/tasks/{task_id}/status', () => {
  it.each(moves)('from %s to %s', async (from, to) => {
    const task_id = await taskIn(from);
    const before = await board.read(task_id);
    const { status, body } = await board.rest.send('PATCH', `/api/tasks/${task_id}/status`, { status: to });
    if (allowed[from].includes(to)) {
      expect([status, body.taskflow_status]).toEqual([200, to]);
      expect(body).toEqual(await board.read(task_id));
    } else {
      expect([status, body]).toEqual([400, expect.objectContaining(refusal(from, to))]);
      expect(await board.read(task_id)).toEqual(before);
    }
  });

  it('knows no other status', async () => {
    const task_id = await taskIn('pending');
    for (const status of ['shipped', 'open', ''])
      expect(await board.rest.refused('PATCH', `/api/tasks/${task_id}/status`, { status })).toMatchObject({
        status: 400,
        code: 'invalid_argument',
      });
  });
});

describe('the tools that move a task', () => {
  it.each(Object.entries(movers).flatMap(([tool, to]) => statuses.map((from) => [tool, from, to] as const)))(
    '%s from %s',
    async (tool, from, to) => {
      const task_id = await taskIn(from);
      const { isError, structuredContent } = await board.taskflow.sdk.callTool({
        name: tool,
        arguments: { user_id, task_id },
      });
      if (allowed[from].includes(to)) {
        expect([isError, structuredContent]).toEqual([undefined, expect.objectContaining({ task_id, status: to })]);
      } else {
        expect([isError, structuredContent]).toEqual([
          true,
          expect.objectContaining({ ...refusal(from, to), error: true, status_code: 400, task_id }),
        ]);
      }
      expect((await board.read(task_id)).taskflow_status).toBe(allowed[from].includes(to) ? to : from);
    },
  );
});

describe('what follows from a move', () => {
  it('sets started_at once, completed_at while completed, and progress 100', async () => {
    const task_id = await taskIn('pending');
    const move = (status: Status) => board.rest.does('PATCH', `/api/tasks/${task_id}/status`, { status });
    const { started_at } = await move('in_progress');
    expect(await move('completed')).toMatchObject({
      started_at,
      completed_at: expect.any(String),
      progress_percent: 100,
    });
    expect(await move('review')).toMatchObject({ started_at, completed_at: null, progress_percent: 100 });
    expect(await move('in_progress')).toMatchObject({ started_at, completed_at: null, progress_percent: 100 });
  });
});
