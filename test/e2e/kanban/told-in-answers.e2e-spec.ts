import { beforeAll, describe, expect, it } from '@jest/globals';
import { gate } from '../../support/board.js';
import { Board } from '../../support/board-fixture.js';
import type { GitRepository } from '../../support/git-repository.js';

const board = Board.share();
let project_id: string;
let repository: GitRepository;
beforeAll(async () => {
  ({ project_id, repository } = await board.project());
  repository.git('checkout', '--quiet', '-b', 'elsewhere');
});

const played = async (script: string): Promise<string> => {
  const task_id = await board.task(project_id, 'Plan it', script);
  const { attempt_id } = await board.kanban.call('start_task_attempt', { task_id, executor: 'DEMO' });
  await board.untilEnded(attempt_id as string);
  return attempt_id as string;
};
const statusOf = (attempt_id: unknown) => board.kanban.call('get_attempt_status', { attempt_id });

describe('the status of an attempt', () => {
  it('tells the newest plan of its agent, also after later runs without one', async () => {
    const attempt_id = await played('plan read; write\nplan read; write; test');
    const plan = ['read', 'write', 'test'].map((content) => ({ content, status: 'pending' }));
    expect((await statusOf(attempt_id)).plan).toEqual(plan);
    await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt: 'say done' });
    await board.untilEnded(attempt_id);
    expect((await statusOf(attempt_id)).plan).toEqual(plan);
  });

  it('has one null each for a plan and for usage that nobody told, as have its task and its runs', async () => {
    const { attempt_id, task_id } = await board.endedAttempt(project_id, 'true');
    expect(await statusOf(attempt_id)).toMatchObject({ plan: null, usage: null });
    expect((await board.kanban.call('get_task', { task_id })).task.usage).toBeNull();
    const { executions } = await board.rest.does('GET', `/api/attempts/${attempt_id}/executions`);
    expect(executions).toMatchObject([{ usage: null }]);
  });

  it('is not waited for longer than a call may wait', async () => {
    const { attempt_id } = await board.endedAttempt(project_id, 'true');
    for (const [name, args] of [
      ['get_attempt_status', { attempt_id }],
      ['wait_for_attempts', { attempt_ids: [attempt_id] }],
      ['get_attempt_delivery', { attempt_id }],
      ['merge_attempt', { attempt_id }],
      ['tail_attempt_logs', { attempt_id, after_entry_index: 0 }],
      ['list_events', { project_id }],
    ] as const)
      expect(await board.kanban.refused(name, { ...args, wait_ms: 60_000 })).toMatchObject({
        code: 'invalid_argument',
        message: expect.stringMatching(/wait_ms.*30000/),
      });
    expect(await board.kanban.call('get_attempt_status', { attempt_id, wait_ms: 30_000 })).toMatchObject({
      state: 'completed',
    });
  });
});

describe('a stop', () => {
  it('says how many messages it dropped, which would have started the attempt again', async () => {
    const { wait, open } = gate(board.server);
    const { attempt_id } = await board.attempt(project_id, wait);
    for (const prompt of ['echo 1', 'echo 2'])
      await board.kanban.call('follow_up', { attempt_id, action: 'queue', prompt });
    const stop = { attempt_id, force: true };
    expect(await board.kanban.call('stop_attempt', stop)).toMatchObject({ stopped: true, dropped_messages: 2 });
    open();
    expect(await board.kanban.call('stop_attempt', stop)).toMatchObject({ stopped: false, dropped_messages: 0 });
  });
});

describe('the deletion of a task', () => {
  it('names the branches that hold work which was not merged', async () => {
    const { task_id } = await board.endedAttempt(project_id, 'echo new > new.txt');
    const { workspace_branch } = (await board.kanban.call('list_task_attempts', { task_id })).attempts[0];
    expect(await board.kanban.call('delete_task', { task_id })).toEqual({
      deleted_task_id: task_id,
      unmerged_branches: [workspace_branch],
    });
    const merged = await board.endedAttempt(project_id, 'echo other > other.txt');
    await board.kanban.call('merge_attempt', { attempt_id: merged.attempt_id });
    expect(await board.kanban.call('delete_task', { task_id: merged.task_id })).toMatchObject({
      unmerged_branches: [],
    });
  });
});
