// Run by ProcessGuard as a separate process that learns over standard input which runs are live. The input ends with
// the server, however that ends: then nothing of these runs may survive. Nor while the server is frozen: it says every
// second that it lives, and soon after it has been silent for too long others take its runs for lost.
import { createInterface } from 'node:readline';
import { signal, startedAt, sweep } from './process-table.mjs';

/** Marker → the run: its process group and when its leader started, both null until it is spawned. */
const live = new Map();

/** Less than the lease of the server's runs lasts. */
const silenceMs = 8_000;
let heardAt = performance.now();

function take(message) {
  heardAt = performance.now();
  if (message.alive) return;
  if (message.watch) live.set(message.watch.marker, message.watch);
  else live.delete(message.forget);
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

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => undefined);
/** What is killed stays known: only the server knows when a run is over. */
async function killAll() {
  for (const run of live.values()) killGroup(run);
  if (live.size > 0) await sweep(live.keys());
}

const watchdog = setInterval(() => {
  if (performance.now() - heardAt > silenceMs) void killAll();
}, 1_000);
for await (const line of createInterface({ input: process.stdin })) tell(line);
clearInterval(watchdog);
await killAll();
