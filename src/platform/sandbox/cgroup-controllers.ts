import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { LimitHit } from './sandbox.js';
import { groupForRuns } from './server-group.js';

export interface Ceilings {
  /** Bytes all processes of a run may use together; 0 is no limit. */
  memory: number;
  /** Processes and threads; 0 is no limit. */
  processes: number;
}

/** A kernel controller: where its groups lie, the files that set a limit, and where it counts what ran into it. */
export interface Controller {
  folder: string;
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
  ];
  const events = [
    ...(memory ? [{ file: 'memory.events', key: 'oom_kill', hit: 'memory' as const }] : []),
    ...(processes ? [{ file: 'pids.events', key: 'max', hit: 'processes' as const }] : []),
  ];
  return [{ folder, limits, events }];
}

/** Version 1: memory and pids are trees of their own. */
function separate({ memory, processes }: Ceilings, root: string): Controller[] {
  return [
    {
      folder: ownFolder(path.join(root, 'memory'), 'memory'),
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
      limits: processes ? [{ file: 'pids.max', value: String(processes) }] : [],
      events: [{ file: 'pids.events', key: 'max', hit: 'processes' }],
    },
  ];
}

/** The group this process is in, where the mount shows it; a container may see its own group as the root. */
function ownFolder(mount: string, controller: string): string {
  const line = readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .map((entry) => entry.split(':'))
    .find(([, names]) => names?.split(',').includes(controller));
  const own = path.join(mount, line?.slice(2).join(':') ?? '');
  return path.resolve(existsSync(own) ? own : mount);
}
