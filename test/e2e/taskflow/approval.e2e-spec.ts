import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';

const places = (task_id: string) => ({
  approve: `/api/tasks/${task_id}/approve`,
  reject: `/api/tasks/${task_id}/reject`,
  status: `/api/tasks/${task_id}/status`,
});

describe.each([
  ['off', 'any member decides'],
  ['on', 'a person decides'],
])('with REQUIRE_HUMAN_APPROVAL=%s %s', (setting) => {
  const board = Board.use({ REQUIRE_HUMAN_APPROVAL: setting });
  let project_id: string;
  beforeAll(async () => {
    project_id = await board.bareProject();
    await board.worker('@claude');
  });

  async function inReview(): Promise<string> {
    const task_id = await board.task(project_id);
    await board.taskflow.call('taskflow_start_task', { user_id: '@claude', task_id });
    await board.taskflow.call('taskflow_request_review', { user_id: '@claude', task_id });
    return task_id;
  }

  it('a person approves a task in review: completed, progress 100, one row `approved`', async () => {
    const task_id = await inReview();
    expect(await board.as('ada').does('POST', places(task_id).approve)).toMatchObject({
      taskflow_status: 'completed',
      progress_percent: 100,
      completed_at: expect.any(String),
    });
    const after = (await board.audit(task_id)).slice(4);
    expect(after).toMatchObject([
      {
        action: 'approved',
        actor: '@ada',
        actor_type: 'human',
        details: { before: { taskflow_status: 'review' }, after: { taskflow_status: 'completed' } },
      },
    ]);
  });

  it('a person rejects a task in review: back in progress, one row `rejected` with the reason', async () => {
    const task_id = await inReview();
    expect(await board.as('ada').does('POST', places(task_id).reject, { reason: 'A test is missing.' })).toMatchObject({
      taskflow_status: 'in_progress',
      assignee: '@claude',
      completed_at: null,
    });
    expect((await board.audit(task_id)).slice(4)).toMatchObject([
      {
        action: 'rejected',
        actor: '@ada',
        details: { note: 'A test is missing.', after: { taskflow_status: 'in_progress' } },
      },
    ]);
  });

  it('only a task in review is approved or rejected', async () => {
    const task_id = await board.task(project_id);
    expect(await board.rest.refused('POST', places(task_id).approve)).toMatchObject({
      status: 400,
      code: 'invalid_transition',
      message:
        "Invalid status transition from 'pending' to 'completed'. Valid transitions: " +
        "['in_progress', 'blocked', 'completed']",
    });
    expect(await board.rest.refused('POST', places(task_id).reject, { reason: 'x' })).toMatchObject({
      status: 400,
      code: 'invalid_transition',
    });
    expect(await board.rest.refused('POST', places(task_id).reject, { reason: ' ' })).toMatchObject({
      status: 400,
      code: 'invalid_argument',
    });
    expect(await board.rest.refused('POST', places(task_id).reject)).toMatchObject({
      status: 400,
      message: expect.stringContaining('reason'),
    });
  });

  it('an agent completes from review only where no person has to', async () => {
    const ways = [
      (task_id: string) => board.as('@claude').send('POST', places(task_id).approve),
      (task_id: string) => board.as('@claude').send('PATCH', places(task_id).status, { status: 'completed' }),
      async (task_id: string) => {
        const { isError, structuredContent } = await board.taskflow.sdk.callTool({
          name: 'taskflow_complete_task',
          arguments: { user_id: '@claude', task_id },
        });
        return { status: isError ? 403 : 200, body: structuredContent as object };
      },
    ];
    for (const way of ways) {
      const task_id = await inReview();
      const { status, body } = await way(task_id);
      expect([status, (await board.read(task_id)).taskflow_status]).toEqual(
        setting === 'on' ? [403, 'review'] : [200, 'completed'],
      );
      if (setting === 'on')
        expect(body).toMatchObject({
          code: 'forbidden',
          retryable: false,
          message: 'This is not allowed: a person must approve this task.',
        });
    }
  });

  it('an agent still completes from in_progress, sends back, and a person completes with the tool', async () => {
    const [first, second, third] = [await inReview(), await board.task(project_id), await inReview()];
    expect(await board.as('@claude').does('POST', places(first).reject, { reason: 'I found a bug.' })).toMatchObject({
      taskflow_status: 'in_progress',
    });
    await board.taskflow.call('taskflow_start_task', { user_id: '@claude', task_id: second });
    expect(await board.taskflow.call('taskflow_complete_task', { user_id: '@claude', task_id: second })).toMatchObject({
      status: 'completed',
    });
    expect(await board.taskflow.call('taskflow_complete_task', { user_id: 'ada', task_id: third })).toMatchObject({
      status: 'completed',
    });
  });
});
