import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Binaries } from './binaries.js';
import type { ClusterHome } from './cluster-home.js';
import { answers } from './connection-check.js';
import { EmbeddedPostgresError, explain } from './embedded-error.js';
import { type Postmaster, readPostmaster, stopPostmaster } from './postmaster.js';
import { programEnvironment } from './run-program.js';

const pollMs = 25;
/** Generous, because recovery after a crash reads up to a gigabyte of write-ahead log. */
const patienceMs = 300_000;
const tries = 5;
/** The port was taken between our look and its start, or the children of a killed server have not ended yet. */
const passing = /Address already in use|pre-existing shared memory block/;
/** The path is too long for one, or the file system knows none. */
const socketless = /could not create any Unix-domain sockets/;

const settings = {
  max_connections: '200',
  fsync: 'on',
  cluster_name: 'taskyard',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'log',
  log_checkpoints: 'off', // refused statements are the caller's, and carry its data
};

/** Where a server listens. */
type Listening = Record<'listen_addresses' | 'unix_socket_directories' | 'port', string>;

/** Below the cluster, where nobody comes but its own user; a statement costs a third of what it does over TCP. */
const onSocket = ({ cluster }: ClusterHome): Listening => ({
  listen_addresses: '',
  unix_socket_directories: `"${cluster.replaceAll('"', '""')}"`,
  port: '5432', // only names the file
});
const onLoopback = async (): Promise<Listening> => ({
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  port: String(await freePort()),
});

/** Starts the server of an existing cluster and returns once it lets us in. It outlives this process unless it is
 *  stopped. */
export async function startPostmaster(place: ClusterHome, binaries: Binaries, password: string): Promise<Postmaster> {
  let started = await startListening(place, binaries, password, () => Promise.resolve(onSocket(place)));
  if (typeof started === 'string' && socketless.test(started))
    started = await startListening(place, binaries, password, onLoopback);
  if (typeof started === 'string') throw explain('postgres', started, place.home);
  return started;
}

/** @returns the server, or what it said before it ended at the last try. */
async function startListening(
  place: ClusterHome,
  binaries: Binaries,
  password: string,
  choose: () => Promise<Listening>,
): Promise<Postmaster | string> {
  for (let attempt = 1; ; attempt += 1) {
    const started = await tryStart(place, binaries, password, await choose());
    if (typeof started !== 'string' || attempt === tries || !passing.test(started)) return started;
    await delay(500);
  }
}

/** @returns the server, or what it said before it ended. */
async function tryStart(
  place: ClusterHome,
  binaries: Binaries,
  password: string,
  listening: Listening,
): Promise<Postmaster | string> {
  const log = path.join(place.home, 'postgres.log');
  const child = launch(place, binaries.postgres, log, listening);
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  const giveUpAt = performance.now() + patienceMs;
  while (!failure && child.exitCode === null && child.signalCode === null) {
    const found = await readyServer(child, place.cluster, password);
    if (found) return found;
    if (performance.now() > giveUpAt)
      throw new EmbeddedPostgresError(`The embedded PostgreSQL in ${place.cluster} did not become ready; see ${log}.`);
    await delay(pollMs);
  }
  return failure?.message ?? readFileSync(log, 'utf8');
}

function launch({ cluster, user }: ClusterHome, program: string, logFile: string, listening: Listening): ChildProcess {
  const log = openSync(logFile, 'w', 0o600); // a file and not a pipe: it must not break when this process is killed
  const options = Object.entries({ ...settings, ...listening }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  try {
    const child = spawn(program, ['-D', cluster, ...options], {
      ...user,
      cwd: '/',
      env: programEnvironment,
      stdio: ['ignore', log, log],
      detached: true,
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

async function readyServer(child: ChildProcess, cluster: string, password: string): Promise<Postmaster | undefined> {
  const found = readPostmaster(cluster);
  if (!found?.identity || found.pid !== child.pid || !found.ready) return undefined;
  try {
    return (await answers(found, password, cluster)) ? found : undefined;
  } catch (error) {
    await stopPostmaster(found.identity);
    throw error;
  }
}

/** A port of loopback that nobody listens on, for a server that is told its own before it starts. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
