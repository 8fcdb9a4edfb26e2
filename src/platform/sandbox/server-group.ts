import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Where the server itself is while it has groups below its own. */
const SERVER = 'taskyard-server';
/** A process may fork while the others are moved. */
const LOOKS = 3;

/** In version 2 a group with groups below it holds no processes itself. So the server moves into one beside those of
 *  its runs, together with the processes that it comes from and that come from it (npm, a shell, an init program, its
 *  database). It moves nobody else: where others are in the group, all stays as it is.
 *  @returns the folder for groups of runs
 *  @throws Error where that is not possible, and says why */
export function groupForRuns(own: string): string {
  if (path.basename(own) === SERVER) return path.dirname(own); // by an earlier server, for this one's family too
  const server = path.join(own, SERVER);
  mkdirSync(server, { recursive: true });
  const moved: number[] = [];
  try {
    for (let look = 0; look < LOOKS; look += 1)
      for (const pid of toBeMoved(own)) if (!moved.includes(pid) && moveTo(server, pid)) moved.push(pid);
    writeFileSync(path.join(own, 'cgroup.subtree_control'), '+memory +pids');
    return own;
  } catch (error) {
    moved.forEach((pid) => moveTo(own, pid));
    rmdirSync(server);
    throw error;
  }
}

/** Of the system's root group, which alone may hold processes beside groups, the server; else everybody.
 *  @throws Error where strangers are in the group */
function toBeMoved(own: string): number[] {
  if (!existsSync(path.join(own, 'cgroup.type'))) return [process.pid];
  const pids = readFileSync(path.join(own, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
  const ours = ancestorsOf(process.pid);
  const stranger = pids.find((pid) => !ours.includes(pid) && !ancestorsOf(pid).includes(process.pid) && isThere(pid));
  if (stranger === undefined) return pids;
  throw new Error(`other processes are in the control group ${own} of the server, such as ${nameOf(stranger)}`);
}

/** False where it has ended meanwhile. */
function moveTo(folder: string, pid: number): boolean {
  try {
    writeFileSync(path.join(folder, 'cgroup.procs'), `${pid}\n`, { flag: 'a' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** With the process itself, up to the first one. */
function ancestorsOf(pid: number): number[] {
  const line: number[] = [];
  for (let one = pid; one > 0; one = parentOf(one)) line.push(one);
  return line;
}

/** The name of a program may hold brackets and spaces; behind it stand the state and the parent. */
function parentOf(pid: number): number {
  const stat = procFile(pid, 'stat');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

/** A process of a namespace that is not ours to see has the number 0, and counts. */
const isThere = (pid: number): boolean => pid === 0 || existsSync(`/proc/${pid}`);
const nameOf = (pid: number): string => `${procFile(pid, 'comm').trim() || 'one of another container'} (${pid})`;

function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}
