// Plain JavaScript, because the guard program runs it as it stands. What it asks of /proc is Linux; elsewhere nothing
// is found.
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export const markerVariable = 'TASKYARD_RUN';

const sweepLimitMs = 2_000;
/** Longer than a child needs from fork to exec, when it does not carry the marker yet. */
const secondLookMs = 20;

export async function sweep(markers, since = null) {
  const wanted = { markers: new Set(markers), since };
  // A look can hang: reading the environment of a process waits while its memory is locked.
  const limit = new AbortController();
  await Promise.race([sweepUntilClean(wanted, limit.signal), sleep(sweepLimitMs, undefined, { signal: limit.signal })]);
  limit.abort();
}

/** Two clean looks in a row: a process that forks and leaves while the table is read is in neither place of the
 *  first. */
async function sweepUntilClean(wanted, limit) {
  for (let cleanLooks = 0; cleanLooks < 2 && !limit.aborted;) {
    const killed = await killMarked(wanted);
    cleanLooks = killed === 0 ? cleanLooks + 1 : 0;
    if (cleanLooks < 2) await sleep(secondLookMs);
  }
}

async function killMarked(wanted) {
  const pids = await readdir('/proc').then(
    (names) => names.filter((name) => /^\d+$/.test(name)),
    () => [],
  );
  const killed = await Promise.all(pids.map((pid) => killWhenMarked(Number(pid), wanted)));
  return killed.filter(Boolean).length;
}

async function killWhenMarked(pid, { markers, since }) {
  if (since !== null && startedAt(pid) < since) return false;
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  const entry = environment.split('\0').find((variable) => variable.startsWith(`${markerVariable}=`));
  if (entry === undefined || pid === process.pid || !markers.has(entry.slice(markerVariable.length + 1))) return false;
  return signal(pid, 'SIGKILL');
}

export function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

export function startedAt(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  } catch {
    return null;
  }
}
