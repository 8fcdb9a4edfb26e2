import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { LimitHit } from './sandbox.js';

/** Group of the server itself while its own group has children. */
const SERVER = 'taskyard-server';
/** A process may fork while the others are moved. */
const LOOKS = 3;
/** Whoever enters by this waits until all processors have passed a quiet state, 2 to 6 ms. */
export const PROCESSES = 'cgroup.procs';
/** Version 1 lets a thread enter by itself, and at once. */
const THREADS = 'tasks';
/** A run's part of a busy CPU where the server has 100, however many processes it has: that of a nice of 10. */
const WEIGHT = 11;

/** In version 2 a group with children holds no processes. So the server moves into a child, beside those of its runs,
 *  with its ancestors and descendants (npm, a shell, an init program, its database). If strangers are in the group,
 *  nothing is moved.
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
    shareCpu(own);
    return own;
  } catch (error) {
    moved.forEach((pid) => moveTo(own, pid));
    rmdirSync(server);
    throw error;
  }
}

/** Where that is not for us to decide, runs are merely niced. */
function shareCpu(own: string): void {
  try {
    if (/\bcpu\b/.test(readFileSync(path.join(own, 'cgroup.controllers'), 'utf8')))
      writeFileSync(path.join(own, 'cgroup.subtree_control'), '+cpu');
  } catch {
    return; // processes with real-time priority are in it, for one
  }
}

/** In the system's root group, which may hold processes beside children, the server alone; else everybody.
 *  @throws Error where strangers are in the group */
function toBeMoved(own: string): number[] {
  if (!existsSync(path.join(own, 'cgroup.type'))) return [process.pid];
  const pids = readFileSync(path.join(own, PROCESSES), 'utf8').split('\n').filter(Boolean).map(Number);
  const ours = ancestorsOf(process.pid);
  const stranger = pids.find((pid) => !ours.includes(pid) && !ancestorsOf(pid).includes(process.pid) && isThere(pid));
  if (stranger === undefined) return pids;
  throw new Error(`other processes are in the control group ${own} of the server, such as ${nameOf(stranger)}`);
}

/** False where it has ended meanwhile. */
function moveTo(folder: string, pid: number): boolean {
  try {
    writeFileSync(path.join(folder, PROCESSES), `${pid}\n`, { flag: 'a' });
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

/** A process of a namespace that we cannot see has the number 0, and counts. */
const isThere = (pid: number): boolean => pid === 0 || existsSync(`/proc/${pid}`);
const nameOf = (pid: number): string => `${procFile(pid, 'comm').trim() || 'one of another container'} (${pid})`;

function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}

export interface Ceilings {
  /** Bytes all processes of a run may use together; 0 is no limit. */
  memory: number;
  /** Processes and threads; 0 is no limit. */
  processes: number;
}

/** A kernel controller: where its groups lie, the files that set a limit, and where it counts what ran into it. */
export interface Controller {
  folder: string;
  /** The file of a group that a process of one thread enters it by. */
  entrance: string;
  limits: readonly { file: string; value: string; isOptional?: boolean }[];
  events: readonly { file: string; key: string; hit: LimitHit }[];
}

const ROOT = '/sys/fs/cgroup';

/** The controllers that limit what `ceilings` asks for, by version 2 or by version 1's memory and pids.
 *  @throws Error where this process may not set them up */
export function controllersOf(ceilings: Ceilings, root = ROOT): Controller[] {
  const version = existsSync(path.join(root, 'cgroup.controllers')) ? unified : separate;
  return version(ceilings, root).filter(({ limits }) => limits.length > 0);
}

/** Version 2. */
function unified({ memory, processes }: Ceilings, root: string): Controller[] {
  const folder = groupForRuns(ownFolder(root, ''));
  const limits = [
    ...(memory ? [{ file: 'memory.max', value: String(memory) }] : []),
    ...(memory ? [{ file: 'memory.swap.max', value: '0', isOptional: true }] : []),
    ...(processes ? [{ file: 'pids.max', value: String(processes) }] : []),
    ...(memory || processes ? [{ file: 'cpu.weight', value: String(WEIGHT), isOptional: true }] : []),
  ];
  const events = [
    ...(memory ? [{ file: 'memory.events', key: 'oom_kill', hit: 'memory' as const }] : []),
    ...(processes ? [{ file: 'pids.events', key: 'max', hit: 'processes' as const }] : []),
  ];
  return [{ folder, entrance: PROCESSES, limits, events }];
}

/** Version 1: memory, pids and cpu are trees of their own. */
function separate({ memory, processes }: Ceilings, root: string): Controller[] {
  const cpu = ownFolder(path.join(root, 'cpu'), 'cpu');
  return [
    {
      folder: ownFolder(path.join(root, 'memory'), 'memory'),
      entrance: THREADS,
      limits: memory
        ? [
            { file: 'memory.use_hierarchy', value: '1', isOptional: true }, // before 5.11 groups below had no limit
            { file: 'memory.limit_in_bytes', value: String(memory) },
            { file: 'memory.memsw.limit_in_bytes', value: String(memory), isOptional: true },
          ]
        : [],
      events: [{ file: 'memory.oom_control', key: 'oom_kill', hit: 'memory' }],
    },
    {
      folder: ownFolder(path.join(root, 'pids'), 'pids'),
      entrance: THREADS,
      limits: processes ? [{ file: 'pids.max', value: String(processes) }] : [],
      events: [{ file: 'pids.events', key: 'max', hit: 'processes' }],
    },
    {
      folder: cpu,
      entrance: THREADS,
      limits:
        (memory || processes) && isOurs(cpu) ? [{ file: 'cpu.shares', value: String(Math.ceil(10.24 * WEIGHT)) }] : [],
      events: [],
    },
  ];
}

function isOurs(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The group this process is in, where the mount shows it; a container may see its own group as the root. */
export function ownFolder(mount: string, controller: string): string {
  const line = readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .map((entry) => entry.split(':'))
    .find(([, names]) => names?.split(',').includes(controller));
  const own = path.join(mount, line?.slice(2).join(':') ?? '');
  return path.resolve(existsSync(own) ? own : mount);
}
