import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventsKey } from '../../../src/executions/attempt-events.js';
import { LogRepository } from '../../../src/executions/log.repository.js';
import { LogReader } from '../../../src/executions/log-reader.js';
import { ChangeHub } from '../../../src/platform/database/change-hub.js';
import { gate } from '../../support/board.js';
import { EventStream } from '../../support/event-stream.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/mcp-client.js';
import { InProcessBoard } from '../../support/in-process-server.js';
import { untilSaid } from '../../support/runs.js';

const board = InProcessBoard.use();
let project_id: string;
/** An attempt that has said 1, 2 and 3 in its one run. */
let ended: Json;
const streams: EventStream[] = [];

beforeAll(async () => {
  ({ project_id } = await board.project());
  ended = await board.endedAttempt(project_id, 'seq 1 3');
});
afterEach(() => streams.splice(0).forEach((stream) => stream.close()));

async function open(path: string, lastEventId?: number | string): Promise<EventStream> {
  const stream = await EventStream.open(`${board.server.url}${path}`, lastEventId);
  streams.push(stream);
  return stream;
}
const logOf = (attempt: Json, query = '?channel=raw') =>
  `/api/executions/${attempt.execution_process_id}/logs/stream${query}`;
const said = (entries: Json[]) => entries.map(({ entry }) => entry.content as string);
const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

describe('the log of a run as server-sent events', () => {
  it('comes while the run goes on, and ends with how it ended', async () => {
    const { wait, open: go } = gate(board.server);
    const attempt = await board.attempt(project_id, `echo one; ${wait}; echo two`);
    const stream = await open(logOf(attempt));
    expect(stream.answer.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    const [first] = await stream.entries(1);
    expect(first).toMatchObject({
      id: 0,
      entry_index: 0,
      execution_process_id: attempt.execution_process_id,
      entry: { type: 'stdout', content: 'one' },
    });
    go();
    expect(said(await stream.entries(1))).toEqual(['two']);
    expect(await stream.next()).toEqual({
      event: 'end',
      data: { execution_process_id: attempt.execution_process_id, status: 'completed' },
    });
    expect(await stream.next()).toBeNull();
  });

  it('is told whole after the run, read neither from the start of the attempt nor to its end', async () => {
    const attempt = await board.endedAttempt(project_id, 'seq 1 2500; exit 3');
    const follow = async (prompt: string): Promise<Json> => {
      const path = `/api/attempts/${attempt.attempt_id}/follow-up`;
      const turn = await board.rest.answers(200, 'POST', path, { action: 'send', prompt });
      await board.untilEnded(attempt.attempt_id as string);
      return turn;
    };
    const turn = await follow('seq 2501 2510');
    await follow('seq 2511 5000');
    expect(said(await (await open(logOf(attempt))).entries())).toEqual(lines(1, 2500));
    const reads = jest.spyOn(board.server.app.get(LogReader, { strict: false }), 'after');
    const second = await (await open(logOf(turn))).entries();
    expect(said(second)).toEqual(lines(2501, 2510));
    expect(second.map(({ id }) => id)).toEqual(lines(2500, 2509).map(Number));
    expect(reads.mock.calls.map(([{ after }]) => after)).toEqual([2499]);
    reads.mockRestore();
    const normalized = await (await open(logOf(turn, ''))).entries();
    expect(normalized.map(({ entry }) => entry.type)).toContain('assistant_message');
  });

  it('goes on behind Last-Event-ID, however often the client leaves: nothing lost, nothing twice', async () => {
    const attempt = await board.attempt(project_id, 'for i in $(seq 1 60); do echo $i; sleep 0.02; done');
    const seen: Json[] = [];
    for (let visit = 0; visit < 8; visit += 1) {
      const stream = await open(logOf(attempt), seen.at(-1)?.id as number | undefined);
      seen.push(...(await stream.entries(visit + 1)));
      stream.close();
    }
    seen.push(...(await (await open(logOf(attempt), seen.at(-1)!.id as number)).entries()));
    expect(said(seen)).toEqual(lines(1, 60));
    expect(await (await open(logOf(attempt), seen.at(-1)!.id as number)).next()).toMatchObject({ event: 'end' });
  });

  it('begins anew where Last-Event-ID is no index of ours', async () => {
    for (const id of ['abc', '1e9', ''])
      expect(said(await (await open(logOf(ended), id)).entries())).toEqual(lines(1, 3));
  });

  it('is refused for a channel that is none', async () => {
    await board.rest.refuses('invalid_argument', 'GET', logOf(ended, '?channel=events'));
  });
});

describe('what happens to an attempt as server-sent events', () => {
  it('comes from now on: runs, queued and dropped messages, stops', async () => {
    const attempt = await board.endedAttempt(project_id);
    const stream = await open(`/api/attempts/${attempt.attempt_id}/events`);
    expect(await stream.next()).toEqual({ id: 2 }); // where a client that loses the line at once goes on
    const followUp = (body: Json) =>
      board.rest.answers(200, 'POST', `/api/attempts/${attempt.attempt_id}/follow-up`, body);
    await followUp({ action: 'send', prompt: 'sleep 60' });
    expect(said(await stream.entries(2))).toEqual(['codingagent queued', 'codingagent running']);
    await followUp({ action: 'queue', prompt: 'secret words' });
    await board.rest.answers(200, 'POST', `/api/attempts/${attempt.attempt_id}/stop`);
    const rest = await stream.entries(4);
    expect(rest.map(({ entry }) => entry.type)).toEqual([
      'message_queued',
      'message_dropped',
      'stop_requested',
      'state',
    ]);
    expect(JSON.stringify(rest)).not.toContain('secret words');
    expect(rest.map(({ id }) => id)).toEqual([5, 6, 7, 8]);
  });

  it('goes on behind Last-Event-ID; -1 begins with the first event', async () => {
    const { attempt_id } = ended;
    const all = await (await open(`/api/attempts/${attempt_id}/events`, -1)).entries(3);
    expect(said(all)).toEqual(['codingagent queued', 'codingagent running', 'codingagent completed']);
    expect(said(await (await open(`/api/attempts/${attempt_id}/events`, 0)).entries(2))).toEqual([
      'codingagent running',
      'codingagent completed',
    ]);
  });

  it('S21: has the headers of every answer', async () => {
    const { attempt_id } = ended;
    const stream = await EventStream.open(`${board.server.url}/api/attempts/${attempt_id}/events`, undefined, {
      origin: board.server.url,
    });
    streams.push(stream);
    expect(stream.answer.headers).toMatchObject({
      'access-control-allow-origin': board.server.url,
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'content-type': 'text/event-stream; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
  });

  it('S21: ends for a member who is removed', async () => {
    for (const handle of ['@owner', '@removed']) await board.worker(handle);
    const place = await board.project();
    await board.member(place.project_id, '@owner', 'owner');
    await board.member(place.project_id, '@removed');
    const { attempt_id } = await board.endedAttempt(place.project_id);
    const { members } = await board.rest.does('GET', `/api/projects/${place.project_id}/members`);
    const [removed] = (members as Json[]).filter(({ handle }) => handle === '@removed');
    const stream = await EventStream.open(`${board.server.url}/api/attempts/${attempt_id}/events`, undefined, {
      'x-user-id': '@removed',
    });
    streams.push(stream);
    expect(await stream.next()).toEqual({ id: 2 });
    await board.rest.does('DELETE', `/api/projects/${place.project_id}/members/${removed!.worker_id as string}`);
    expect(await stream.next()).toBeNull();
  });

  it('is read once for all who stream it, and not for what its runs print', async () => {
    const { wait, open: go } = gate(board.server);
    const { attempt_id } = await board.attempt(project_id, `seq 1 5; ${wait}; seq 6 10`);
    await untilSaid(board.kanban, attempt_id as string, '5');
    const crowd = await Promise.all(Array.from({ length: 40 }, () => open(`/api/attempts/${attempt_id}/events`)));
    await Promise.all(crowd.map((stream) => stream.next()));
    const reads = jest.spyOn(board.server.app.get(LogRepository, { strict: false }), 'findHead');
    go();
    for (const stream of crowd) expect(said(await stream.entries(1))).toEqual(['codingagent completed']);
    expect(reads.mock.calls.filter(([, channel]) => channel === 'events').length).toBeLessThan(40);
    reads.mockRestore();
  });

  it('leaves no waiter behind when the client goes', async () => {
    const { attempt_id } = ended;
    const hub = board.server.app.get<{ waiters: Map<string, unknown> }>(ChangeHub);
    const stream = await open(`/api/attempts/${attempt_id}/events`);
    await stream.next();
    await eventually('the stream to wait', () => hub.waiters.has(eventsKey(attempt_id as string)));
    stream.close();
    await eventually('the waiter to go', () => !hub.waiters.has(eventsKey(attempt_id as string)));
  });
});

describe('the end of the server', () => {
  it('ends open streams and long polls, and leaves nothing behind', async () => {
    const id = ended.attempt_id as string;
    const stream = await open(`/api/attempts/${id}/events`);
    await stream.next();
    const poll = board.rest.answers(200, 'GET', `/api/attempts/${id}?wait_ms=30000&while_state=completed`);
    const hub = board.server.app.get<{ waiters: Map<string, Set<unknown>> }>(ChangeHub);
    await eventually('both to wait', () => hub.waiters.has(id) && hub.waiters.has(eventsKey(id)));
    await board.server.close();
    expect(await stream.next()).toBeNull();
    expect(await poll).toMatchObject({ state: 'completed' });
  });
});
