import { afterEach, describe, expect, it } from '@jest/globals';
import { gate } from '../../support/board.js';
import { Board } from '../../support/board-fixture.js';
import { eventually } from '../../support/eventually.js';
import { EventStream } from '../../support/event-stream.js';

const board = Board.use({ MAX_STREAMS_PER_PRINCIPAL: '3', MAX_STREAMS: '4' });
const open: EventStream[] = [];
afterEach(() => open.splice(0).forEach((stream) => stream.close()));

async function watched(): Promise<{ place: string; attempt_id: string; open: () => void }> {
  const { project_id } = await board.project();
  const held = gate(board.server);
  const { attempt_id } = await board.attempt(project_id, held.wait);
  return { place: `/api/attempts/${attempt_id}`, attempt_id: attempt_id as string, open: held.open };
}
async function stream(place: string, user?: string): Promise<number | undefined> {
  const more: Record<string, string> = user ? { 'x-user-id': user } : {};
  const opened = await EventStream.open(`${board.server.url}${place}/events`, undefined, more);
  open.push(opened);
  return opened.answer.statusCode;
}

describe('streams and long polls of one caller', () => {
  it('are refused beyond its limit, with the name of the limit, and only for as long as they are open', async () => {
    const { place, attempt_id, open: end } = await watched();
    expect([await stream(place), await stream(place), await stream(place)]).toEqual([200, 200, 200]);
    expect(await stream(place)).toBe(429);
    const { status, retryable, details } = await board.rest.refuses(
      'too_many_streams',
      'GET',
      `${place}?wait_ms=30000`,
    );
    expect({ status, retryable, details }).toEqual({
      status: 429,
      retryable: true,
      details: { limit: 'MAX_STREAMS_PER_PRINCIPAL', open: 3 },
    });
    const tail = { attempt_id, after_entry_index: 0, wait_ms: 100 };
    expect(await board.kanban.refused('tail_attempt_logs', tail)).toMatchObject({ code: 'too_many_streams' });
    expect(await board.rest.does('GET', place)).toMatchObject({ state: 'running' });
    open.splice(0).forEach((one) => one.close());
    end();
    await eventually('a free place', async () => (await stream(place)) === 200);
    expect(await board.rest.does('GET', `${place}?wait_ms=30000`)).toMatchObject({ state: 'completed' });
  });

  it('leave a place to others, until the whole server is full', async () => {
    const { place, open: end } = await watched();
    for (const user of ['ada', 'bob']) await board.worker(`@${user}`, 'human', user);
    for (let count = 0; count < 3; count += 1)
      await eventually('a free place', async () => (await stream(place)) === 200);
    expect(await stream(place)).toBe(429);
    expect(await stream(place, 'somebody-new')).toBe(429); // whoever makes up names has no more places
    expect(await stream(place, 'ada')).toBe(200);
    const refused = await board.rest.as('bob').send('GET', `${place}?wait_ms=30000`);
    expect(refused).toMatchObject({ status: 429, body: { details: { limit: 'MAX_STREAMS', open: 4 } } });
    end();
  });
});
