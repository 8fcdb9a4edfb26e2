import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { absolute, aside, format, ratio } from '../figures.mjs';
import { Loop } from '../ground/loop.mjs';
import { makeRepository } from '../ground/repositories.mjs';
import { median } from '../measure/statistics.mjs';
import { inTurn, processRunning } from './start.mjs';

const RUNS = 40;
const ROUNDS = 3;
const MIB = 1024 ** 2;
const BYTES = 512 * MIB;
const WAYS = 200;
const program = path.join(import.meta.dirname, '../floors/byte-relay.mjs');

/** What a network of its own costs a run: at its start, in throughput, and in memory. */
export async function network(ground) {
  if (spawnSync('bwrap', ['--version']).status !== 0) return [aside('networks', 'not measured', 'no bwrap')];
  return [...(await starts(ground)), ...(await throughput()), await memory()];
}

async function starts(ground) {
  const loops = {};
  for (const [name, RUN_NETWORK] of Object.entries({ host: 'host', open: 'open', listed: 'listed' })) {
    const server = await ground.server(await ground.database(), { RUN_NETWORK });
    loops[name] = await Loop.open(server, makeRepository(ground.place(name), 10));
  }
  const runs = Object.entries(loops).map(([name, loop]) => [name, () => processRunning(loop)]);
  const times = await inTurn(RUNS, Object.fromEntries(runs));
  const more = (name, below) =>
    absolute(
      `start_task_attempt sent → its process runs, SHELL, network ${name} against that of the host, median`,
      median(times[name].map((elapsed, run) => elapsed - times.host[run])),
      'ms more',
      `${RUNS} pairs; host: ${format(median(times.host))} ms, ${name}: ${format(median(times[name]))} ms`,
      { below },
    );
  return [more('open', 30), more('listed', 40)];
}

async function throughput() {
  const source = createServer((socket) => pour(socket));
  await once(source.listen(0, '127.0.0.1'), 'listening');
  const { port } = source.address();
  const [relay, way] = [fork(program, ['relay', String(port)]), fork(program, ['way-out'])];
  const [[{ at }], [{ at: socketPath }]] = await Promise.all([once(relay, 'message'), once(way, 'message')]);
  const best = { relay: 0, way: 0 };
  const peaks = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    best.relay = Math.max(best.relay, await drained(() => connect(at, '127.0.0.1')));
    best.way = Math.max(best.way, await drained(() => tunnel(socketPath, port)));
    way.send('memory');
    peaks.push((await once(way, 'message'))[0].rss / MIB);
  }
  for (const child of [relay, way]) child.kill();
  source.close();
  return [
    ratio(
      `${BYTES / MIB} MiB through the proxy of a run, best of ${ROUNDS}`,
      `${format(best.way)} MiB/s; ${peaks.map((peak) => format(peak)).join(', ')} MiB after each`,
      `a bare relay of TCP in Node: ${format(best.relay)} MiB/s`,
      best.way / best.relay,
      { atLeast: 0.4 },
    ),
  ];
}

async function memory() {
  const idle = createServer((socket) => socket.on('error', () => undefined));
  await once(idle.listen(0, '127.0.0.1'), 'listening');
  const child = fork(program, ['idle', String(idle.address().port), String(WAYS)], { execArgv: ['--expose-gc'] });
  const [{ bytes }] = await once(child, 'message');
  child.kill();
  idle.close();
  const helper = fork(program, ['relay', '1']);
  await once(helper, 'message');
  helper.send('memory');
  const [{ rss }] = await once(helper, 'message');
  helper.kill();
  return absolute(
    `memory of the server for a run with a way out and a tunnel, of ${WAYS}`,
    bytes / WAYS / MIB,
    'MiB',
    `beside it a relay of Node in the walls of each: ${format(rss / MIB)} MiB, most of it shared`,
    { below: 2 },
  );
}

function pour(socket) {
  const piece = Buffer.alloc(64 * 1024);
  let left = BYTES;
  const write = () => {
    while (left > 0) {
      left -= piece.length;
      if (!socket.write(piece)) return socket.once('drain', write);
    }
    return socket.end();
  };
  socket.on('error', () => undefined);
  write();
}

/** MiB a second. */
async function drained(open) {
  const startedAt = performance.now();
  const socket = await open();
  socket.resume();
  await once(socket, 'end');
  socket.destroy();
  return BYTES / MIB / ((performance.now() - startedAt) / 1_000);
}

async function tunnel(socketPath, port) {
  const [, socket, head] = await once(
    http.request({ socketPath, method: 'CONNECT', path: `a.example:${port}` }).end(),
    'connect',
  );
  socket.unshift(head);
  return socket;
}
