// The first program of a container for agents (`taskyard cell`): starts processes for the server in the container
// beside it. Who comes first by the socket is the server, as nothing runs here before; while it is there, nothing
// listens. With the end of its connection, however that ends, everything ends here that is not this program: then no
// process of a run can be the next to come. The same happens once the time is over that the server named.
import { chmodSync, existsSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { signal, sweep } from './process-table.mjs';
import { startWithStreams } from './started-program.mjs';

const socketPath = process.env.CELL_SOCKET;
/** Of the namespace of the machine itself. */
const MACHINE = 'pid:[4026531836]';
/** Where programs are and people live is told by this container, not by that of the server. */
const HERE = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR'];
const here = Object.fromEntries(HERE.map((name) => [name, process.env[name]]));
const LOOK_EVERY_MS = 500;
const GONE_WITHIN_MS = 5_000;

/** Id → process: its marker, its pid once it is started, and whether it has exited. */
const live = new Map();
let server = null;
/** By the clock of the machine, which both containers see; null for ever. */
let heldUntil = null;
/** Both containers of a pod are told to end at once, and the server may have turns to end. */
let isLeaving = false;

function listen() {
  rmSync(socketPath, { force: true });
  const listener = createServer((connection) => {
    if (server !== null) return connection.destroy();
    listener.close();
    serve(connection);
  });
  listener.listen(socketPath, () => chmodSync(socketPath, 0o600));
}

function serve(connection) {
  server = connection;
  let text = '';
  connection.setEncoding('utf8').on('data', (chunk) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop();
    for (const line of lines) take(JSON.parse(line));
  });
  connection.on('error', () => undefined).once('close', () => void over());
  tell({ ready: true });
}

const tell = (message) => server?.write(`${JSON.stringify(message)}\n`);

function take(message) {
  if (message.start) start(message.start);
  else if (message.signal) send(message.signal);
  else if (message.sweep) void clean(message.sweep);
  else {
    heldUntil = message.held_until;
    tell({ held: true });
  }
}

function start({ id, marker, env, ...request }) {
  const run = { marker, pid: null, hasExited: false };
  live.set(id, run);
  const report = (said) => {
    if (said.pid !== undefined) run.pid = said.pid;
    else run.hasExited = true;
    tell({ id, ...(said.error === undefined ? said : { error: notStarted(said.error, request) }) });
  };
  void startWithStreams({ ...request, env: { ...env, ...here } }, report, () => live.get(id) === run);
}

/** The system answers ENOENT for a missing program and for a missing directory alike. */
function notStarted(error, { program, cwd }) {
  const reason = existsSync(cwd) ? error : `the working directory ${cwd} does not exist`;
  return `${program} could not be started: ${reason}`;
}

/** Only while the program is not reaped is the number of its group certain to be its own. */
function send({ id, name }) {
  const run = live.get(id);
  if (run && run.pid !== null && !run.hasExited) signal(-run.pid, name);
}

/** What is left of one that has exited. With the last one everything goes, whatever it has left. */
async function clean({ id }) {
  const run = live.get(id);
  if (run && run.pid !== null && !signal(run.pid, 0)) signal(-run.pid, 'SIGKILL');
  if (run) await sweep([run.marker]);
  live.delete(id);
  if (live.size === 0) await killAll();
  tell({ id, swept: true });
}

async function over() {
  live.clear();
  heldUntil = null;
  await killAll();
  if (isLeaving) process.exit();
  server = null;
  listen();
}

/** At once and for all but this program and the first of the namespace: none of them can fork on. */
async function killAll() {
  signal(-1, 'SIGKILL');
  const giveUpAt = performance.now() + GONE_WITHIN_MS;
  while (live.size === 0 && others().length > 0 && performance.now() < giveUpAt) await pause(2);
}

const others = () =>
  readdirSync('/proc').filter((name) => /^\d+$/.test(name) && ![1, process.pid].includes(Number(name)) && lives(name));

function lives(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !'ZX'.includes(stat[stat.lastIndexOf(')') + 2]);
  } catch {
    return false;
  }
}

const isOver = () => heldUntil !== null && Number(process.hrtime.bigint() / 1_000_000n) > heldUntil;

/** It ends all others, so they must not be somebody else's. */
const isFirst = process.pid === 1 || (process.ppid === 1 && readlinkSync('/proc/self/ns/pid') !== MACHINE);

if (!socketPath) fail('CELL_SOCKET is not set: the path of the socket by which the server comes');
else if (!isFirst) fail('it ends all other processes: start it as the first program of a container of its own');
else {
  for (const name of ['SIGINT', 'SIGHUP']) process.on(name, () => undefined);
  process.on('SIGTERM', () => {
    isLeaving = true;
    if (server === null) process.exit();
  });
  // What was starved itself hears first what the server has said meanwhile.
  setInterval(() => setImmediate(() => void (isOver() && live.size > 0 && killAll())), LOOK_EVERY_MS);
  listen();
}

function fail(reason) {
  console.error(`taskyard cell: ${reason}`);
  process.exitCode = 1;
}
