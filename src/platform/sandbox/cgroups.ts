import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Ceilings, type Controller, controllersOf, PROCESSES } from './cgroup-controllers.js';
import type { Command, LimitHit } from './sandbox.js';

/** Named with the pid of their server, so that another server recognises leftovers of dead ones. */
const nameOf = (id: string): string => `run-taskyard-${process.pid}-${id}`;
const NAME = /^run-taskyard-(\d+)-/;
/** Holds the processes, below the group with the limits: a run that mounts cgroups in its namespace sees only the group
 *  it is in, and could otherwise raise its own limits. */
const INSIDE = 'processes';
/** The kernel takes a moment to release a group whose last process has just died. */
const REMOVE_WITHIN_MS = 1_000;
const LONGEST_PAUSE_MS = 25;

/** Enters groups by the files that its first argument names, then becomes the command. No text of a caller is read by
 *  the shell. */
const JOIN = 'IFS=:; for entrance in $1; do echo 0 > "$entrance" || exit 125; done; shift; exec "$@"';

/** Makes groups of processes whose memory and number the kernel limits together. */
export class Cgroups {
  private constructor(private readonly controllers: readonly Controller[]) {}

  /** @returns null where nothing is to be limited
   *  @throws Error where this process may make no groups: read-only, not mounted or not its own */
  static async find(ceilings: Ceilings, root?: string): Promise<Cgroups | null> {
    const found = new Cgroups(controllersOf(ceilings, root));
    if (found.controllers.length === 0) return null;
    found.removeLeftovers();
    await found.open('probe').remove();
    return found;
  }

  limits(hit: LimitHit): boolean {
    return this.controllers.some(({ events }) => events.some((event) => event.hit === hit));
  }

  open(id: string): Cgroup {
    const groups = this.controllers.map((controller) => ({
      ...controller,
      folder: path.join(controller.folder, nameOf(id)),
    }));
    for (const { folder, limits } of groups) {
      mkdirSync(folder, { recursive: true });
      for (const { file, value, isOptional } of limits)
        if (!isOptional || existsSync(path.join(folder, file))) writeFileSync(path.join(folder, file), value);
      mkdirSync(path.join(folder, INSIDE), { recursive: true });
    }
    return new Cgroup(groups);
  }

  /** Removes empty groups of killed servers only; a live one may be about to use its own. */
  private removeLeftovers(): void {
    for (const { folder } of this.controllers)
      for (const name of readdirSync(folder)) if (isOfTheDead(name)) isRemoved(path.join(folder, name));
  }
}

/** The groups of one run, one for each controller. */
export class Cgroup {
  constructor(private readonly groups: readonly Controller[]) {}

  wrap({ program, args }: Command): Command {
    const entrances = [...new Set(this.groups.map(({ folder, entrance }) => path.join(folder, INSIDE, entrance)))];
    return { program: 'sh', args: ['-c', JOIN, 'sh', entrances.join(':'), program, ...args] };
  }

  limitHit(): LimitHit | null {
    const counted = this.groups.flatMap(({ folder, events }) =>
      events.filter(({ file, key }) =>
        [folder, path.join(folder, INSIDE)].some((group) => count(group, file, key) > 0),
      ),
    );
    return counted[0]?.hit ?? null;
  }

  /** Kills what is left of the run, which cannot leave this group, whatever else it left. */
  async remove(): Promise<void> {
    await Promise.all(this.groups.map(({ folder }) => emptied(folder)));
  }
}

async function emptied(folder: string): Promise<void> {
  const giveUpAt = performance.now() + REMOVE_WITHIN_MS;
  for (let ms = 1; !isRemoved(folder) && performance.now() < giveUpAt; ms = Math.min(2 * ms, LONGEST_PAUSE_MS)) {
    killIn(folder);
    await pause(ms);
  }
}

/** In the group and all below it. Between reading and killing no pid is used again: one that ends stays a zombie for
 *  its parent to see, and pids are given out in a circle. */
function killIn(folder: string): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) killIn(path.join(folder, entry.name));
    const pids = readFileSync(path.join(folder, PROCESSES), 'utf8').split('\n').map(Number);
    for (const pid of pids) if (pid > 0) process.kill(pid, 'SIGKILL');
  } catch {
    // it is gone already: the next try sees what is left
  }
}

function isOfTheDead(name: string): boolean {
  const pid = NAME.exec(name)?.[1];
  return pid !== undefined && !existsSync(`/proc/${pid}`);
}

/** Includes nested groups, which a run may have made. False while a process is still in one. */
function isRemoved(folder: string): boolean {
  try {
    const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    below.forEach(({ name }) => isRemoved(path.join(folder, name)));
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** The number behind a key in a file of `key number` lines. Some kernels count where a process is, others where the
 *  limit is. */
function count(group: string, file: string, key: string): number {
  try {
    const line = readFileSync(path.join(group, file), 'utf8')
      .split('\n')
      .find((entry) => entry.startsWith(`${key} `));
    return Number(line?.split(' ')[1] ?? 0);
  } catch {
    return 0; // an older kernel does not count it
  }
}
