import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

interface Process {
  pid: number;
  command: string;
}

/** Roots of what others end: whoever starts something for all tests of a file, and what ran below this process before
 *  it, as the helpers of the runner. */
const tolerated = new Set(childrenOf(process.pid));

/** What ran below the host of the servers before the file. */
const atStart = new Set<number>();

/** The process and all below it are no leak: its owner ends it, and sees to that. */
export function tolerate(pid: number): void {
  tolerated.add(pid);
}

/** What runs below another process now is no leak of this test file either. */
export function tolerateBelow(pid: number): void {
  for (const child of descendants(pid)) atStart.add(child.pid);
}

/** For `afterEach` and `afterAll`. @throws when a child or grandchild of this process, or of the host of its servers,
 *  that the test file started does not end soon */
export async function expectNoChildProcesses(patienceMs = 30_000, host = process.pid): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  let left = startedSince(host);
  while (left.length > 0 && performance.now() < giveUpAt) {
    await delay(20);
    left = startedSince(host);
  }
  if (left.length > 0)
    throw new Error(`child processes are left: ${left.map(({ pid, command }) => `${pid} ${command}`).join('; ')}`);
}

/** A server that outlives the file keeps its guard, which comes with its first run. */
const GUARD = 'process-guard-program.mjs';
/** Each process keeps one of these while it has something to start, and for a while after. */
const SPAWNER = 'spawner-program.mjs';

function startedSince(host: number): Process[] {
  const isOfHost = host !== process.pid;
  return descendants(process.pid, host).filter(
    ({ pid, command }) => !atStart.has(pid) && !command.endsWith(SPAWNER) && !(isOfHost && command.endsWith(GUARD)),
  );
}

function descendants(...ancestors: number[]): Process[] {
  const below = (parent: number): Process[] =>
    childrenOf(parent)
      .filter((pid) => !tolerated.has(pid))
      .flatMap((pid) => [...unlessOver(() => live(pid)), ...below(pid)]);
  return [...new Set(ancestors)].flatMap(below);
}

/** Each thread has children of its own. */
function childrenOf(pid: number): number[] {
  const tasks = unlessOver(() => readdirSync(`/proc/${pid}/task`));
  const children = (task: string) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ');
  return tasks.flatMap((task) => unlessOver(() => children(task).filter(Boolean).map(Number)));
}

/** A zombie holds nothing and waits only for its parent to look: it is not counted. */
function live(pid: number): Process[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z') ? [] : [{ pid, command }];
}

function unlessOver<T>(look: () => T[]): T[] {
  try {
    return look();
  } catch {
    return []; // it ended while we looked
  }
}
