import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { absolute, aside, format, ratio } from '../figures.mjs';
import { fillTasks } from '../ground/board-data.mjs';
import { toolCall } from '../ground/tool-request.mjs';
import { Connection, postRequest } from '../measure/connection.mjs';
import { httpSlice } from '../measure/http-slice.mjs';
import { interleave } from '../measure/interleave.mjs';
import { median } from '../measure/statistics.mjs';
import { tell } from '../slices.mjs';

const STREAMS = 500;
const EVENTS = 20;
const ROUNDS = 5;
const EVERY_MS = 100;
const EVENTS_A_MINUTE = 10_000;
const ONE_CLIENT = { count: 100, inFlight: 1 };
const EVENT = '\nevent: event\n';
const TASK = { title: 'Add a health check', description: 'Answer 200 at /healthz.' };

/** Takes events without writing them: what a statement costs beside its event. */
const WITHOUT_EVENTS = `
  DROP TRIGGER hold_numbers ON events;
  CREATE FUNCTION drop_event() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
  CREATE TRIGGER drop_event BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION drop_event();`;

/** The events of a board: what they cost whoever writes them, and the server for each tab that listens. */
export async function events(ground) {
  return [...(await written(ground)), ...(await streamed(ground))];
}

/** The same server on two databases, one of which keeps no event. */
async function written(ground) {
  const [kept, dropped] = [await board(ground, 'kept'), await board(ground, 'dropped')];
  await (await ground.connect(dropped.database)).query(WITHOUT_EVENTS);
  const call = ({ project_id }) => toolCall('create_task', { project_id, ...TASK });
  const sliceOf = (one) => httpSlice(one.server, postRequest(`${one.server.url}/mcp`, call(one)), ONE_CLIENT);
  const slices = await interleave(
    { dropped: await sliceOf(dropped), kept: await sliceOf(kept) },
    { figure: 'latencyMs' },
  );
  const { p50, medianOf, times } = tell(slices);
  const perMinute = medianOf('kept', 'perSecond') * 60;
  return [
    ratio(
      'create_task with its event, p50',
      p50('kept'),
      `the same on a database that keeps no events: ${p50('dropped')}`,
      times('kept', 'dropped'),
      { atMost: 1.1 },
    ),
    absolute('events written meanwhile', perMinute, '/min', 'one client', { above: EVENTS_A_MINUTE }),
  ];
}

/** What streams cost beyond the same writes without them, by turns on one server. */
async function streamed(ground) {
  const { server, project_id } = await board(ground, 'streamed', {
    MAX_STREAMS_PER_PRINCIPAL: String(2 * STREAMS),
    ISOLATION: 'none',
  });
  const writer = await Connection.open(server.url);
  const request = postRequest(`${server.url}/mcp`, toolCall('create_task', { project_id, ...TASK }));
  const path = `/api/projects/${project_id}/events`;
  const rounds = [];
  await costOf(server, () => write(writer, request));
  while (rounds.length < ROUNDS) {
    const alone = await costOf(server, () => write(writer, request));
    const streams = await Promise.all(Array.from({ length: STREAMS }, () => Stream.open(server.url, path)));
    await wait(1_000);
    const idle = await costOf(server, () => wait(EVENTS * EVERY_MS));
    const heard = streams.map((stream) => stream.hears(EVENTS));
    const together = await costOf(server, () => Promise.all([write(writer, request), ...heard]));
    rounds.push({ idle, perEvent: (together - alone) / (STREAMS * EVENTS) });
    for (const stream of streams) stream.close();
    await wait(500);
  }
  writer.close();
  const idle = median(rounds.map((round) => round.idle)) / ((EVENTS * EVERY_MS) / 1_000);
  return [
    absolute(
      `server CPU of an event for each of ${STREAMS} streams of a board`,
      median(rounds.map(({ perEvent }) => perEvent)) / 1_000,
      'ms',
      `beyond that of the writes alone, ${1_000 / EVERY_MS} events a second`,
      { below: 1 },
    ),
    aside(`server CPU of ${STREAMS} streams in which nothing happens`, `${format(idle / 1_000)} ms a second`),
  ];
}

async function board(ground, name, settings) {
  const database = await ground.database();
  const project_id = await fillTasks(await ground.connect(database), name, 1_000);
  return { database, project_id, server: await ground.server(database, settings) };
}

async function write(writer, request) {
  for (let count = 0; count < EVENTS; count += 1) {
    await writer.send(request);
    await wait(EVERY_MS);
  }
}

/** Microseconds of the server's CPU. */
async function costOf(server, work) {
  const before = await server.usage();
  await work();
  return (await server.usage()).cpuUs - before.cpuUs;
}

/** A client of server-sent events that only counts them: it shares the processors with the server. */
class Stream {
  #socket;
  #count = 0;
  #rest = '';
  #waiting = null;

  static async open(url, path) {
    const { hostname, port, host } = new URL(url);
    const socket = net.connect({ host: hostname, port: Number(port) });
    const stream = new Stream(socket);
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\naccept: text/event-stream\r\n\r\n`);
    await new Promise((resolve, reject) => socket.once('data', resolve).once('error', reject));
    return stream;
  }

  constructor(socket) {
    this.#socket = socket;
    socket.on('data', (bytes) => this.#take(bytes.toString('latin1')));
  }

  /** Once so many more events have come. */
  hears(count) {
    this.#count = -count;
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  close() {
    this.#socket.destroy();
  }

  /** An event may come in two pieces. */
  #take(text) {
    const parts = (this.#rest + text).split(EVENT);
    this.#rest = parts.at(-1).slice(-EVENT.length);
    this.#count += parts.length - 1;
    if (this.#count >= 0) this.#waiting?.();
  }
}
