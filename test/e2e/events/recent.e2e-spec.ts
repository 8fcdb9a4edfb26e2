import { afterEach, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { EventStream } from '../../support/event-stream.js';

const board = Board.use();
const streams: EventStream[] = [];
afterEach(() => streams.splice(0).forEach((stream) => stream.close()));

async function stream(query: string): Promise<EventStream> {
  const accept = 'text/event-stream';
  const opened = await EventStream.open(`${board.server.url}/api/events?${query}`, undefined, { accept });
  streams.push(opened);
  return opened;
}

describe('recent events', () => {
  it('are streamed from before the stream began, to a client that has read since then', async () => {
    const own = await board.bareProject();
    const nextOf = async (query: string) => {
      const opened = await stream(`project_id=${own}&${query}`);
      await opened.next(); // where it begins
      return opened.next();
    };
    const earlier = await board.task(own);
    await board.server.query(`UPDATE events SET created_at = now() - interval '1 minute'`);
    const later = await board.task(own);
    await board.server.query(`UPDATE events SET created_at = now() + interval '1 hour' WHERE subject = $1`, [later]);
    expect(await nextOf('recent_ms=0')).toMatchObject({ event: 'event', data: { subject: later } });
    expect(await nextOf('recent_ms=599000')).toMatchObject({ data: { subject: earlier } });
  });

  it('are not told again where too much has happened since, but that is said', async () => {
    const own = await board.bareProject();
    await board.server.query(
      `INSERT INTO events (project_id, type, subject, data, created_at)
       SELECT $1, 'taskyard.task.created', gen_random_uuid(), '{}', now() + interval '1 hour'
       FROM generate_series(1, 500)`,
      [own],
    );
    for (const recent_ms of [0, 600_001]) {
      const query = `project_id=${own}&recent_ms=${recent_ms}`;
      const opened = await stream(query);
      const { id } = (await opened.next())!;
      expect(await opened.next()).toEqual({ event: 'missed', data: { upto: id } });
      const task_id = await board.task(own);
      expect(await opened.next()).toMatchObject({ data: { subject: task_id } });
    }
  });
});
