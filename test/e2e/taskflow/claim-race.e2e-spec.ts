import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

const handles = Array.from({ length: 10 }, (_, index) => `@racer-${index}`);
const board = Board.use();
beforeAll(async () => {
  for (const handle of handles) await board.worker(handle);
});

const start = (user_id: string, task_id: string) =>
  board.taskflow.sdk.callTool({ name: 'taskflow_start_task', arguments: { user_id, task_id } });

describe('ten workers who start one task at once', () => {
  it.each([
    ['open to all', false],
    ['of ten members', true],
  ])('have one winner in a project %s; the nine others learn who it is', async (_, hasMembers) => {
    const project_id = await board.bareProject(hasMembers ? 'owner' : undefined);
    if (hasMembers) for (const handle of handles) await board.member(project_id, handle);
    for (let round = 0; round < 3; round += 1) {
      const task_id = await board.task(project_id);
      const answers = await Promise.all(handles.map((handle) => start(handle, task_id)));
      const winners = handles.filter((_handle, index) => !answers[index]!.isError);
      const refusals = answers.filter((answer) => answer.isError).map((answer) => answer.structuredContent as Json);
      const { assignee, taskflow_status } = await board.read(task_id);
      expect([winners, taskflow_status]).toEqual([[assignee], 'in_progress']);
      expect(refusals.map(({ code, message }) => [code, message])).toEqual(
        Array(9).fill(['already_claimed', `The task is already claimed by ${assignee}.`]),
      );
      expect((await board.audit(task_id)).map(({ action, actor }) => [action, actor])).toEqual([
        ['created', '@kanban'],
        ['assigned', assignee],
        ['status_changed', assignee],
      ]);
    }
  });
});

describe('a user nobody has met', () => {
  it('becomes one worker with one Default project, however often it writes at once', async () => {
    const user_id = 'newcomer@example.org';
    const project_id = await board.bareProject();
    const tasks = await Promise.all(Array.from({ length: 10 }, () => board.task(project_id)));
    for (const { isError } of await Promise.all(tasks.map((task_id) => start(user_id, task_id))))
      expect(isError).toBeFalsy();
    const { result } = await board.taskflow.call('taskflow_list_projects', { user_id });
    expect((result as Json[]).filter(({ member_count }) => member_count > 0)).toMatchObject([{ name: 'Default' }]);
    expect(await board.server.query('SELECT handle, type FROM workers WHERE user_id = $1', [user_id])).toEqual([
      { handle: '@newcomer', type: 'human' },
    ]);
    const project =
      "SELECT action FROM audit_log WHERE actor = '@newcomer' AND entity_type = 'project' ORDER BY number";
    expect(await board.server.query(project)).toEqual([{ action: 'created' }, { action: 'member_added' }]);
  });
});
