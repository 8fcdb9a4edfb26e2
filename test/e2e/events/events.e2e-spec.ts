import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Board } from '../../support/board-fixture.js';
import { EventStream } from '../../support/event-stream.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/mcp-client.js';

interface Told extends Json {
  number: number;
  type: string;
  data: Json;
}

const board = Board.use();
const streams: EventStream[] = [];
afterEach(() => streams.splice(0).forEach((stream) => stream.close()));

async function list(
  query: string,
  rest = board.rest,
): Promise<{ events: Told[]; has_more: boolean; next_after: number }> {
  return (await rest.does('GET', `/api/events?${query}`)) as never;
}
const kinds = (events: Told[]) => events.map(({ type }) => type.replace('taskyard.', ''));
async function open(path: string, lastEventId?: number, headers: Record<string, string> = {}): Promise<EventStream> {
  const stream = await EventStream.open(`${board.server.url}${path}`, lastEventId, headers);
  streams.push(stream);
  return stream;
}

describe('what changes in a project', () => {
  let project_id: string;
  beforeAll(async () => {
    ({ project_id } = await board.project());
  });

  it('is told in order, from the task to the end of its attempt', async () => {
    const { attempt_id, task_id } = await board.endedAttempt(project_id, 'echo x; exit 3');
    await board.rest.does('PUT', `/api/tasks/${task_id}`, { title: 'Say it again', tags: ['loud'] });
    const { events } = await list(`project_id=${project_id}&after=0`);
    expect(kinds(events)).toEqual([
      'task.created',
      'attempt.started',
      'task.moved',
      'attempt.failed',
      'task.moved',
      'task.updated',
    ]);
    const [created, started, moved, failed] = events;
    expect(created).toMatchObject({
      project_id,
      subject: task_id,
      data: { task_id, title: 'Say hello', status: 'todo', stage: 'INIT' },
    });
    expect(started).toMatchObject({ subject: attempt_id, data: { attempt_id, task_id, executor: 'SHELL' } });
    expect(moved!.data).toMatchObject({ before: { status: 'todo' }, after: { status: 'inprogress' } });
    expect(failed).toMatchObject({ subject: attempt_id, data: { exit_code: 3 } });
    expect(events.at(-1)!.data).toEqual({ task_id, title: 'Say it again', fields: ['title', 'tags'] });
  });

  it('is paged by number, awaited, and the same as a stream', async () => {
    const all = (await list(`project_id=${project_id}&after=0`)).events;
    const first = await list(`project_id=${project_id}&limit=2`);
    expect(first).toMatchObject({ events: all.slice(0, 2), has_more: true, next_after: all[1]!.number });
    const rest = await list(`project_id=${project_id}&after=${first.next_after}`);
    expect(rest).toMatchObject({ events: all.slice(2), has_more: false });

    const stream = await open(`/api/projects/${project_id}/events?after=0`);
    expect(await stream.next()).toEqual({ id: 0 });
    for (const event of all) expect(await stream.next()).toEqual({ id: event.number, event: 'event', data: event });
    const resumed = await open(`/api/events?project_id=${project_id}`, all.at(-2)!.number, {
      accept: 'text/event-stream',
    });
    await resumed.next();
    expect(await resumed.next()).toMatchObject({ id: all.at(-1)!.number });

    const awaited = list(`project_id=${project_id}&after=${rest.next_after}&wait_ms=30000`);
    const task_id = await board.task(project_id);
    await board.kanban.call('delete_task', { task_id });
    expect(kinds((await awaited).events)[0]).toBe('task.created');
    expect(await stream.next()).toMatchObject({ data: { type: 'taskyard.task.created', subject: task_id } });
    expect(await resumed.next()).toMatchObject({ data: { type: 'taskyard.task.created', subject: task_id } });
    expect(await stream.next()).toMatchObject({ data: { type: 'taskyard.task.deleted', subject: task_id } });
  });

  it('names what an agent asks, and how it was answered', async () => {
    const start = (await list(`project_id=${project_id}`)).next_after;
    const task_id = await board.task(project_id);
    const prompt = 'ask echo please';
    await board.kanban.call('start_task_attempt', { task_id, executor: 'DEMO', variant: 'APPROVALS', prompt });
    const asked = await eventually('the question', async () => {
      const { events } = await list(`project_id=${project_id}&after=${start}`);
      return events.find(({ type }) => type === 'taskyard.approval.asked');
    });
    const { approval_id, attempt_id } = asked!.data;
    await board.rest.does('POST', `/api/approvals/${approval_id as string}/answer`, { decision: 'deny' });
    await board.untilEnded(attempt_id as string);
    const { events } = await list(`project_id=${project_id}&after=${asked!.number}`);
    expect(events[0]).toMatchObject({
      type: 'taskyard.approval.answered',
      subject: approval_id,
      data: { attempt_id, task_id, status: 'denied' },
    });
  });

  it('is told of the tasks that go with a project', async () => {
    const gone = await board.bareProject();
    const tasks = [await board.task(gone), await board.task(gone)];
    const { next_after } = await list(`project_id=${gone}`);
    await board.rest.does('DELETE', `/api/projects/${gone}`);
    const { events } = await list(`after=${next_after}`);
    expect(events.map(({ subject }) => subject)).toEqual(tasks);
    await board.rest.refuses('project_not_found', 'GET', `/api/events?project_id=${gone}`);
  });
});

describe('writers beside each other', () => {
  const write = (client: pg.ClientBase | pg.Pool, project_id: string, subject: string = randomUUID()) =>
    client.query(
      `INSERT INTO events (project_id, type, subject, data)
       VALUES ($1, 'taskyard.task.created', $2, '{}')`,
      [project_id, subject],
    );

  it('leave no gap: a number is not passed while a transaction below it is open', async () => {
    const project_id = await board.bareProject();
    const slow = new pg.Client(board.server.database.url);
    await slow.connect();
    await slow.query('BEGIN');
    const first = randomUUID();
    await write(slow, project_id, first);
    const second = await board.task(project_id);
    expect((await list(`project_id=${project_id}`)).events).toEqual([]);
    const stream = await open(`/api/projects/${project_id}/events?after=0`);
    await stream.next();
    const awaited = list(`project_id=${project_id}&wait_ms=30000`);
    await slow.query('COMMIT');
    await slow.end();
    expect((await awaited).events.map(({ subject }) => subject)).toEqual([first, second]);
    expect([(await stream.next())?.data?.subject, (await stream.next())?.data?.subject]).toEqual([first, second]);
  });

  it('are read whole and in order by one who only ever goes on', async () => {
    const project_id = await board.bareProject();
    const pool = new pg.Pool({ connectionString: board.server.database.url, max: 8 });
    let isOver = false;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let turn = 0; turn < 25; turn += 1) {
        const client = await pool.connect();
        await client.query('BEGIN');
        if ((writer + turn) % 3 === 0) await client.query('SELECT pg_current_xact_id()'); // an id long before a number
        await delay((writer * 7 + turn * 3) % 11);
        await write(client, project_id);
        await delay((writer * 5 + turn) % 7);
        await client.query((writer + turn) % 10 === 0 ? 'ROLLBACK' : 'COMMIT');
        client.release();
      }
    });
    const all = Promise.all(writers).then(() => (isOver = true));
    const seen: number[] = [];
    let after = 0;
    do {
      const wasOver = isOver;
      const page = await list(`project_id=${project_id}&after=${after}&limit=7`);
      seen.push(...page.events.map(({ number }) => number));
      after = page.next_after;
      if (wasOver && page.events.length === 0) break;
    } while (true);
    await all;
    await pool.end();
    const stored = await board.server.query<{ number: string }>(
      'SELECT number FROM events WHERE project_id = $1 ORDER BY number',
      [project_id],
    );
    expect(seen).toEqual(stored.map(({ number }) => Number(number)));
  });

  it.each([2 ** 31, 2 ** 32])('go on past number %i', async (edge) => {
    const project_id = await board.bareProject();
    await board.server.query(`SELECT setval('events_number_seq', $1)`, [edge - 2]);
    for (let made = 0; made < 3; made += 1) await board.task(project_id);
    const slow = new pg.Client(board.server.database.url);
    await slow.connect();
    await slow.query('BEGIN');
    await write(slow, project_id);
    await board.task(project_id);
    const seen = async () => (await list(`project_id=${project_id}`)).events.map(({ number }) => number - edge);
    expect(await seen()).toEqual([-1, 0, 1]);
    await slow.query('COMMIT');
    await slow.end();
    expect(await seen()).toEqual([-1, 0, 1, 2, 3]);
  });
});

describe('who may read events', () => {
  it('sees those of own projects alone; a stream ends with the right to it', async () => {
    await board.worker('@keeper');
    await board.worker('@reader');
    const mine = await board.bareProject('@keeper');
    const other = await board.bareProject('@keeper', 'Other');
    await board.member(mine, '@reader');
    const { next_after } = await list('after=0&limit=500');
    const [seen, unseen] = [await board.task(mine), await board.task(other)];
    const { events } = await list(`after=${next_after}`, board.as('@reader'));
    expect(events.map(({ subject }) => subject)).toEqual([seen]);
    expect((await list(`after=${next_after}`)).events.map(({ subject }) => subject)).toEqual([seen, unseen]);
    await board.as('@reader').refuses('not_a_member', 'GET', `/api/projects/${other}/events`);

    const stream = await open(`/api/projects/${mine}/events`, undefined, { 'x-user-id': '@reader' });
    await stream.next();
    const { members } = await board.rest.does('GET', `/api/projects/${mine}/members`);
    const reader = (members as Json[]).find(({ handle }) => handle === '@reader')!;
    await board.rest.does('DELETE', `/api/projects/${mine}/members/${reader.worker_id as string}`);
    expect(await stream.next()).toBeNull();
  });
});
