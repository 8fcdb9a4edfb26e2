import { describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

const board = Board.share();

/** All pages of a list, two items at a time. */
async function pagesOf(place: string, name: string): Promise<Json[][]> {
  const pages: Json[][] = [];
  for (let cursor: number | null = 0; cursor !== null;) {
    const page = await board.rest.does('GET', `${place}?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
    expect(page).toMatchObject({ limit: 2, count: page[name].length });
    pages.push(page[name] as Json[]);
    cursor = page.next_cursor as number | null;
    expect(page.has_more).toBe(cursor !== null);
  }
  return pages;
}

describe('a list that is mostly short', () => {
  it('is paged all the same: members, owners first', async () => {
    const project_id = await board.bareProject('owner');
    for (const handle of ['@one', '@two', '@three']) {
      await board.worker(handle);
      await board.rest.does('POST', `/api/projects/${project_id}/members`, { handle });
    }
    const pages = await pagesOf(`/api/projects/${project_id}/members`, 'members');
    expect(pages.map((page) => page.map(({ handle }) => handle as string))).toEqual([
      ['@owner', '@one'],
      ['@two', '@three'],
    ]);
  });

  it('is paged all the same: executors', async () => {
    const whole = (await board.rest.does('GET', '/api/executors')) as { executors: Json[]; limit: number };
    expect(whole.limit).toBe(50);
    const pages = await pagesOf('/api/executors', 'executors');
    expect(pages.every((page) => page.length <= 2)).toBe(true);
    expect(pages.flat()).toEqual(whole.executors);
  });

  it('is paged all the same: sessions, newest first', async () => {
    const { project_id } = await board.project();
    const { attempt_id } = await board.endedAttempt(project_id);
    const place = `/api/attempts/${attempt_id as string}/sessions`;
    for (let made = 0; made < 2; made += 1) {
      await board.rest.answers(201, 'POST', place, { executor: 'SHELL' });
      await board.untilEnded(attempt_id as string);
    }
    const whole = (await board.rest.does('GET', place)).sessions as Json[];
    expect(whole).toHaveLength(3);
    expect((await pagesOf(place, 'sessions')).flat()).toEqual(whole);
  });

  it('says which limit was applied', async () => {
    const project_id = await board.bareProject();
    for (const [query, limit] of [
      ['', 50],
      ['?limit=7', 7],
      ['?limit=100000', 500],
    ] as const)
      expect((await board.rest.does('GET', `/api/projects/${project_id}/repos${query}`)).limit).toBe(limit);
  });
});
