import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

const board = Board.use();
let project_id: string;
let failed: Json;
let passed: Json;
beforeAll(async () => {
  ({ project_id } = await board.project());
  failed = await board.endedAttempt(project_id, 'exit 3');
  passed = await board.endedAttempt(project_id, 'echo done');
});

const inbox = (query = '', rest = board.rest): Promise<Json> => rest.does('GET', `/api/inbox${query}`);
const tasksOf = (rows: Json[]): string[] => rows.map(({ task_id }) => task_id as string);

describe('the inbox', () => {
  it('has the failures with what helps, and what waits for a review', async () => {
    const about = { project_id, project_name: 'Web shop', executor: 'SHELL', waits_since: expect.any(String) };
    expect(await inbox()).toEqual({
      failed: [
        {
          ...about,
          ...{ task_id: failed.task_id, attempt_id: failed.attempt_id, title: 'Say hello' },
          ...{ failure_summary: expect.stringContaining('3'), delivery_state: 'failed' },
          hint: expect.stringContaining('follow-up'),
        },
      ],
      reviews: [
        {
          ...about,
          ...{ task_id: passed.task_id, attempt_id: passed.attempt_id, title: 'Say hello' },
          ...{ failure_summary: null, delivery_state: 'ready', hint: null },
        },
      ],
      exhausted: [],
      limit: 50,
    });
  });

  it('is for all projects that the caller sees, and for no other', async () => {
    const own = (await board.as('ada').does('POST', '/api/projects', { name: 'Of Ada' })).project_id as string;
    const hers = await board.task(own);
    await board.rest.does('PUT', `/api/tasks/${hers}`, { status: 'inreview' });
    expect(tasksOf((await inbox('', board.as('ada'))).reviews)).toEqual([hers, passed.task_id]);
    expect(tasksOf((await inbox('', board.as('bob'))).reviews)).toEqual([passed.task_id]);
    expect(tasksOf((await inbox('?limit=1')).reviews)).toEqual([hers]);
    expect((await inbox('?limit=1000')).limit).toBe(50);
  });

  it('lets go of what went on: a later run, a later attempt, the end of the task', async () => {
    const { task_id, attempt_id } = await board.endedAttempt(project_id, 'exit 4');
    const isListed = async () => tasksOf((await inbox()).failed).includes(task_id as string);
    expect(await isListed()).toBe(true);
    await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt: 'echo better' });
    await board.untilEnded(attempt_id as string);
    expect(await isListed()).toBe(false);
    await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt: 'exit 5' });
    await board.untilEnded(attempt_id as string);
    expect(await isListed()).toBe(true);
    const again = await board.kanban.call('start_task_attempt', { task_id, executor: 'SHELL', prompt: 'echo new' });
    await board.untilEnded(again.attempt_id as string);
    expect(await isListed()).toBe(false);
    await board.rest.does('PUT', `/api/tasks/${failed.task_id as string}`, { status: 'cancelled' });
    expect(tasksOf((await inbox()).failed)).not.toContain(failed.task_id);
  });
});
