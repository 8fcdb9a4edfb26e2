import { describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

describe('what changed in a project', () => {
  const board = Board.share();
  const changes = (project_id: string, more: object = {}) => board.kanban.call('list_events', { project_id, ...more });
  const told = ({ events }: Json): unknown[] => (events as Json[]).map(({ type, subject }) => [type, subject]);

  it('is told from where the first call began, and once', async () => {
    const { project_id } = await board.project();
    const { project_id: elsewhere } = await board.project();
    const begun = await changes(project_id);
    expect(begun).toMatchObject({ events: [], has_more: false, next_after: expect.any(Number) });
    const { task_id } = await board.kanban.call('create_task', { project_id, title: 'One' });
    await board.kanban.call('create_task', { project_id: elsewhere, title: 'Another' });
    await board.kanban.call('update_task', { task_id, title: 'Two' });
    const seen = await changes(project_id, { after: begun.next_after, wait_ms: 10_000 });
    const rest = await changes(project_id, { after: seen.next_after, wait_ms: told(seen).length < 2 ? 10_000 : 0 });
    expect([...told(seen), ...told(rest)]).toEqual([
      ['taskyard.task.created', task_id],
      ['taskyard.task.updated', task_id],
    ]);
    expect(told(await changes(project_id, { after: rest.next_after }))).toEqual([]);
  });

  it('is waited for', async () => {
    const { project_id } = await board.project();
    const { next_after: after } = await changes(project_id);
    const [seen, { task_id }] = await Promise.all([
      changes(project_id, { after, wait_ms: 30_000 }),
      new Promise((resolve) => setTimeout(resolve, 300)).then(() =>
        board.kanban.call('create_task', { project_id, title: 'Later' }),
      ),
    ]);
    expect(told(seen)).toEqual([['taskyard.task.created', task_id]]);
  });

  it('comes page by page, and only of a project that is there', async () => {
    const { project_id } = await board.project();
    const { next_after } = await changes(project_id);
    for (const title of ['a', 'b', 'c']) await board.kanban.call('create_task', { project_id, title });
    let [after, has_more, count] = [next_after as number, true, 0];
    while (has_more || count < 3) {
      const page = await changes(project_id, { after, limit: 1, wait_ms: 10_000 });
      expect((page.events as Json[]).length).toBeLessThanOrEqual(1);
      count += (page.events as Json[]).length;
      [after, has_more] = [page.next_after as number, page.has_more as boolean];
    }
    expect(count).toBe(3);
    const unknown = { project_id: '0198c0de-0000-7000-8000-000000000001' };
    expect((await board.kanban.refused('list_events', unknown)).code).toBe('project_not_found');
  });
});
