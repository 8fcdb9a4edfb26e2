import { beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { allRawLines } from '../../support/board.js';
import { Board, nowhere } from '../../support/board-fixture.js';
import { passKeptDay } from '../../support/deleted-tasks.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/mcp-client.js';

const board = Board.use();
let project_id: string;
beforeAll(async () => {
  ({ project_id } = await board.project());
});

const place = (task_id: unknown) => `/api/tasks/${String(task_id)}`;
const remove = (task_id: unknown) => board.rest.answers(200, 'DELETE', place(task_id));
const restore = (task_id: unknown) => board.rest.answers(200, 'POST', `${place(task_id)}/restore`);
const deleted = async () =>
  (await board.rest.answers(200, 'GET', `/api/projects/${project_id}/deleted-tasks`)).tasks as Json[];
const worktree = (attempt_id: unknown) =>
  path.join(board.server.environment.DATA_DIR, 'worktrees', String(attempt_id), 'web');
const countOf = async () => {
  const { columns } = await board.rest.does('GET', `/api/projects/${project_id}/board`);
  return (columns as { count: number }[]).map(({ count }) => count);
};

describe('a deleted task', () => {
  it('is restored exactly: its fields, its attempts with their work and log, its place in counts', async () => {
    const { task_id, attempt_id } = await board.endedAttempt(project_id, 'echo said; echo work > unsaved.txt');
    const before = await board.read(task_id as string);
    const counted = await countOf();
    await remove(task_id);
    const { title, status } = before;
    expect(await deleted()).toEqual([{ task_id, title, status, deleted_at: expect.any(String) }]);
    await board.rest.refuses('task_not_found', 'GET', place(task_id));
    await board.rest.refuses('attempt_not_found', 'GET', `/api/attempts/${attempt_id}`);
    const { updated_at, ...restored } = await restore(task_id);
    expect({ ...restored, updated_at: before.updated_at }).toEqual(before);
    expect(Date.parse(updated_at as string)).toBeGreaterThan(Date.parse(before.updated_at as string));
    expect(await countOf()).toEqual(counted);
    expect(await deleted()).toEqual([]);
    expect(readFileSync(path.join(worktree(attempt_id), 'unsaved.txt'), 'utf8')).toBe('work\n');
    expect(await allRawLines(board.kanban, attempt_id as string)).toEqual(['said']);
    await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt: 'cat unsaved.txt' });
    await board.untilEnded(attempt_id as string);
    expect(await allRawLines(board.kanban, attempt_id as string)).toEqual(['said', 'work']);
    expect((await board.audit(task_id as string)).map(({ action }) => action)).toEqual(
      expect.arrayContaining(['deleted', 'restored']),
    );
  });

  it('stays as it is where it was not deleted', async () => {
    const task_id = await board.task(project_id);
    const before = await board.read(task_id);
    expect(await restore(task_id)).toEqual(before);
    await remove(task_id);
    await restore(task_id);
    await restore(task_id);
    expect((await board.audit(task_id)).filter(({ action }) => action === 'restored')).toHaveLength(1);
  });

  it('cannot be restored after a day, when its worktrees and its log go', async () => {
    const { task_id, attempt_id } = await board.endedAttempt(project_id, 'echo said');
    await remove(task_id);
    expect(existsSync(worktree(attempt_id))).toBe(true);
    expect(await deleted()).toMatchObject([{ task_id }]);
    await passKeptDay(board.server.database);
    await eventually('the worktree to go', () => !existsSync(worktree(attempt_id)));
    await eventually('the log to go', async () => {
      const rows = await board.server.query('SELECT 1 FROM log_chunks WHERE attempt_id = $1', [attempt_id]);
      return rows.length === 0;
    });
    const refusal = await board.rest.refuses('restore_too_late', 'POST', `${place(task_id)}/restore`);
    expect(refusal).toMatchObject({ status: 409, retryable: false });
  });

  it('keeps its worktrees once it is restored, though their day comes', async () => {
    const kept = await board.endedAttempt(project_id, 'echo kept');
    const gone = await board.endedAttempt(project_id, 'echo gone');
    await remove(kept.task_id);
    await restore(kept.task_id);
    await remove(gone.task_id);
    await passKeptDay(board.server.database);
    await eventually('the other worktree to go', () => !existsSync(worktree(gone.attempt_id)));
    await eventually('nothing to be left to do', async () => {
      const left = await board.server.query(
        `SELECT 1 FROM queue.job WHERE name = 'dispose_workspaces' AND state IN ('created', 'active', 'retry')`,
      );
      return left.length === 0;
    });
    expect(existsSync(worktree(kept.attempt_id))).toBe(true);
  });

  it('is restored after the task above it', async () => {
    const above = await board.task(project_id);
    const below = await board.rest.answers(201, 'POST', `${place(above)}/subtasks`, { title: 'Part' });
    await remove(below.task_id);
    await remove(above);
    const refusal = await board.rest.refuses('parent_deleted', 'POST', `${place(below.task_id)}/restore`);
    expect(refusal).toMatchObject({ status: 409, details: { parent_task_id: above } });
    await restore(above);
    expect(await restore(below.task_id)).toMatchObject({ parent_task_id: above });
  });

  it('is never left below a task that is deleted at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const above = await board.task(project_id);
      const below = await board.rest.answers(201, 'POST', `${place(above)}/subtasks`, { title: 'Part' });
      await remove(below.task_id);
      const answers = await Promise.all([
        board.rest.send('POST', `${place(below.task_id)}/restore`),
        board.rest.send('DELETE', place(above)),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });

  it('is nobody’s who may not see it', async () => {
    const { project_id: closed } = await board.project();
    await board.worker('@owner-of-it', 'human', 'owner-of-it');
    await board.member(closed, '@owner-of-it', 'owner');
    const owner = board.as('owner-of-it');
    const task = await owner.does('POST', `/api/projects/${closed}/tasks`, { title: 'Hidden' });
    await owner.does('DELETE', place(task.task_id));
    await board.rest.refuses('task_not_found', 'POST', `${place(nowhere)}/restore`);
    expect((await board.as('stranger').send('POST', `${place(task.task_id)}/restore`)).status).toBeGreaterThan(400);
    expect(await owner.does('POST', `${place(task.task_id)}/restore`)).toMatchObject({ title: 'Hidden' });
  });
});
