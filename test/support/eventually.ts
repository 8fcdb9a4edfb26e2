import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The longer the wait, the rarer the looks, each of which takes time from what is waited for. */
const PAUSE_MS = { least: 20, most: 100, ofWaited: 0.1 };

/** Looks until the answer is truthy. @throws after the patience, naming what was waited for */
export async function eventually<T>(what: string, look: () => T | Promise<T>, patienceMs = 120_000): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    const found = await look();
    if (found) return found;
    const waited = performance.now() - startedAt;
    if (waited > patienceMs) throw new Error(`Waited in vain for ${what}.`);
    await delay(Math.min(Math.max(waited * PAUSE_MS.ofWaited, PAUSE_MS.least), PAUSE_MS.most));
  }
}

/** False also for a zombie: it holds nothing and waits only to be reaped. */
export function isLive(pid: number): boolean {
  const stat = procFile(pid, 'stat');
  return stat !== '' && stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
}

/** Live processes of one run, by the marker that the server gives each of them, read independently of the code
 *  under test. */
export function processesOfRun(execution_process_id: string): number[] {
  return pids().filter(
    (pid) => procFile(pid, 'environ').split('\0').includes(`TASKYARD_RUN=${execution_process_id}`) && isLive(pid),
  );
}

/** Live processes whose command line, as typed, begins so, and whose environment holds that. */
export function processesTyped(start: string, variable = ''): number[] {
  const isIt = (pid: number) =>
    procFile(pid, 'cmdline').replaceAll('\0', ' ').startsWith(start) && procFile(pid, 'environ').includes(variable);
  return pids().filter((pid) => isIt(pid) && isLive(pid));
}

/** The live process of a run that knows itself by that pid, inside walls by another one than outside. It is waited
 *  for: a process that begins another program shows no environment meanwhile. */
export function processOfRun(execution_process_id: string, ownPid: number): Promise<number> {
  const isIt = (pid: number) => new RegExp(`^NSpid:.*\\b${ownPid}$`, 'm').test(procFile(pid, 'status'));
  return eventually(`process ${ownPid} of the run`, () =>
    processesOfRun(execution_process_id).find(isIt),
  ) as Promise<number>;
}

const pids = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
