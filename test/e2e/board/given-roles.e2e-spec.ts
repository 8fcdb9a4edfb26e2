import { beforeAll, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';

const board = Board.use();
beforeAll(async () => {
  for (const handle of ['@one', '@two']) await board.worker(handle);
});

it('S17: the first member, and two that come at once, get the role that was asked for', async () => {
  const open = async () => `/api/projects/${await board.bareProject()}/members`;
  const [alone, together, unsaid] = [await open(), await open(), await open()];
  const add = async (at: string, body: object) => (await board.rest.answers(201, 'POST', at, body)).role as string;
  expect(await add(alone, { handle: '@one', role: 'viewer' })).toBe('viewer');
  expect(await add(unsaid, { handle: '@one' })).toBe('member');
  const both = [add(together, { handle: '@one', role: 'viewer' }), add(together, { handle: '@two', role: 'viewer' })];
  expect(await Promise.all(both)).toEqual(['viewer', 'viewer']);
});
