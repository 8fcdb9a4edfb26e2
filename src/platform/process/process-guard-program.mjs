// Run by ProcessGuard as a separate process that learns over standard input which runs are live. The input ends with
// the
// server, however that ends: then nothing of these runs may survive.
import { createInterface } from 'node:readline';
import { signal, startedAt, sweep } from './process-table.mjs';

/** Marker → the run: its process group and when its leader started, both null until it is spawned. */
const live = new Map();

function take(message) {
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
for await (const line of createInterface({ input: process.stdin })) tell(line);
for (const run of live.values()) killGroup(run);
if (live.size > 0) await sweep(live.keys());
