// Run by ProcessGuard as a separate process that learns over standard input which runs are live, and until when they
// may be. The input ends with the server, however that ends: then nothing of these runs may survive. Nor once the time
// is over that the server named: others take the runs of a frozen server for lost.
import { createInterface } from 'node:readline';
import { signal, startedAt, sweep } from './process-table.mjs';

/** Marker → the run: its process group and when its leader started, both null until it is spawned. */
const live = new Map();

const lookEveryMs = 500;
/** By the clock of the machine; null for ever. */
let heldUntil = null;

function take(message) {
  if (message.watch) live.set(message.watch.marker, message.watch);
  else if (message.forget) live.delete(message.forget);
  else heldUntil = message.held_until;
}

function tell(line) {
  try {
    take(JSON.parse(line));
  } catch {
    // The server died while it wrote this line.
  }
}

/** A number that was given to another process since is left alone. */
function killGroup({ pgid, started_at }) {
  if (pgid !== null && started_at !== null && startedAt(pgid) === started_at) signal(-pgid, 'SIGKILL');
}

/** What is killed stays known: only the server knows when a run is over. */
async function killAll() {
  for (const run of live.values()) killGroup(run);
  if (live.size > 0) await sweep(live.keys());
}

const isOver = () => heldUntil !== null && Number(process.hrtime.bigint() / 1_000_000n) > heldUntil;

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => undefined);
// A guard that was starved itself reads first what the server has said meanwhile.
const watchdog = setInterval(() => setImmediate(() => void (isOver() && killAll())), lookEveryMs);
createInterface({ input: process.stdin })
  .on('line', tell)
  .once('close', () => {
    clearInterval(watchdog);
    void killAll();
  });
