import { randomUUID } from 'node:crypto';
import { agentEnvironment } from '../../config/child-environment.js';
import type { Environment } from '../../config/environment.js';
import { AppError } from '../errors/app-error.js';
import { CellClient } from '../process/cell-client.js';
import { SupervisedProcess } from '../process/supervised-process.js';
import { bubblewrapArgs, INSIDE_USERS, insideBubblewrap } from './bubblewrap.js';
import type { Ceilings } from './cgroup-controllers.js';
import { type Cgroup, Cgroups } from './cgroups.js';
import { DiskWatch } from './disk-watch.js';
import { withRelay } from './relay.js';
import type { Cell, Command, Confinement, Isolation, LimitHit, Limits, Sandbox } from './sandbox.js';

/** What allocators, shells and runtimes print when the system gives them no more memory. */
const PHRASES = [
  /\bout of memory\b/i,
  /cannot allocate/i,
  /memory exhausted/i,
  /insufficient memory/i,
  /\bMemoryError\b/,
  /\bOutOfMemoryError\b/,
  /\bbad_alloc\b/,
  /allocation (of \d+ bytes )?failed/i,
];
/** Limits that a runtime sets itself are not ours. */
const OWN_LIMIT = /heap limit|heap space/i;

/** The kernel does not count hits of `prlimit`: only the last lines of the process show that it ran into it. */
const isAllocationFailure = (line: string): boolean =>
  !OWN_LIMIT.test(line) && PHRASES.some((phrase) => phrase.test(line));

/** A setting requires isolation that this machine cannot provide. */
export class SandboxError extends Error {}

type Settings = Pick<Environment, 'ISOLATION' | 'RUN_MEMORY_MAX' | 'RUN_PROCESSES_MAX' | 'RUN_DISK_MAX'> &
  Partial<Pick<Environment, 'CELL_SOCKET'>>;

interface Machine {
  isolation: Isolation;
  reason: string | null;
  /** Arguments of bubblewrap for the user inside. */
  user: readonly string[];
  cgroups: Cgroups | null;
  /** Why there are no groups. */
  groupsProblem: string | null;
  /** Bytes for `prlimit`, where there are no groups and it is installed; else 0. */
  dataLimit: number;
  /** Bytes; 0 is no limit. */
  diskLimit: number;
  hidden: readonly string[];
  /** Bound back for every process. */
  shown: readonly string[];
  /** Leads into the container where runs are; null where they are here. */
  client: CellClient | null;
}

/** Tries with real processes what works on this machine.
 *  @throws SandboxError where bubblewrap is asked for by name and does not work */
export async function chooseSandbox(
  settings: Settings,
  hidden: readonly string[],
  shown: readonly string[],
  cgroupRoot?: string,
): Promise<Sandbox> {
  if (settings.ISOLATION === 'container') return besideContainer(settings);
  const ceilings = { memory: settings.RUN_MEMORY_MAX, processes: settings.RUN_PROCESSES_MAX };
  const { cgroups, groupsProblem } = await groupsOf(ceilings, cgroupRoot);
  const isWithoutGroup = ceilings.memory > 0 && !cgroups?.limits('memory');
  const dataLimit = isWithoutGroup && (await problemOf(prlimit(ceilings.memory, TRUE))) === null ? ceilings.memory : 0;
  const walls = await wallsOf(settings.ISOLATION, hidden, shown);
  return new LocalSandbox({
    ...{ ...walls, cgroups, groupsProblem, dataLimit, hidden, shown, client: null },
    diskLimit: settings.RUN_DISK_MAX,
  });
}

/** A launcher that cannot be reached yet is no reason not to start: whoever starts a run is told. */
async function besideContainer({ CELL_SOCKET, RUN_MEMORY_MAX, RUN_DISK_MAX }: Settings): Promise<Sandbox> {
  const client = CELL_SOCKET ? new CellClient(CELL_SOCKET) : null;
  await client?.ready().catch(() => undefined);
  return new LocalSandbox({
    ...{ isolation: 'container', reason: null, user: [], cgroups: null, hidden: [], shown: [], client },
    ...{ dataLimit: RUN_MEMORY_MAX, diskLimit: RUN_DISK_MAX },
    groupsProblem: 'groups of another container are not made from here',
  });
}

async function groupsOf(ceilings: Ceilings, root?: string): Promise<Pick<Machine, 'cgroups' | 'groupsProblem'>> {
  try {
    return { cgroups: await Cgroups.find(ceilings, root), groupsProblem: null };
  } catch (error) {
    return { cgroups: null, groupsProblem: (error as Error).message };
  }
}

async function wallsOf(
  wanted: Settings['ISOLATION'],
  hidden: readonly string[],
  shown: readonly string[],
): Promise<Pick<Machine, 'isolation' | 'reason' | 'user'>> {
  if (wanted === 'none') return { isolation: 'none', reason: 'ISOLATION=none', user: [] };
  let reason: string | null = null;
  for (const user of INSIDE_USERS) {
    reason = await problemOf(
      insideBubblewrap(TRUE, '/', bubblewrapArgs({ writable: [], readable: shown, network: 'none' }, hidden, user)),
    );
    if (reason === null) return { isolation: 'bubblewrap', reason, user };
  }
  if (wanted === 'bubblewrap') throw new SandboxError(`ISOLATION=bubblewrap does not work on this machine: ${reason}`);
  return { isolation: 'none', reason, user: [] };
}

const TRUE: Command = { program: 'true', args: [] };

const prlimit = (bytes: number, { program, args }: Command): Command => ({
  program: 'prlimit',
  args: [`--data=${bytes}`, '--', program, ...args],
});

/** The same in any image that has a shell; where the container allows less already, that holds. */
const limitedByShell = (bytes: number, { program, args }: Command): Command => ({
  program: 'sh',
  args: ['-c', 'ulimit -d "$1" 2>/dev/null; shift; exec "$@"', 'sh', String(Math.ceil(bytes / 1024)), program, ...args],
});

/** Why a command fails, in a line; null where it does not. */
async function problemOf({ program, args }: Command): Promise<string | null> {
  const said: string[] = [];
  const { exit_code, spawn_error } = await SupervisedProcess.start({
    program,
    args,
    cwd: '/',
    env: agentEnvironment([]),
    marker: randomUUID(), // a marker of its own: everything that bears it is killed with the process
    stdin: 'closed',
    onLine: ({ text }) => void said.push(text),
  }).ended;
  if (exit_code === 0) return null;
  return spawn_error ?? said[0] ?? `${program} ended with ${exit_code}`;
}

/** The sandbox made of what works here. */
class LocalSandbox implements Sandbox {
  readonly isolation: Isolation;
  readonly limits: Limits;

  constructor(private readonly machine: Machine) {
    this.isolation = machine.isolation;
    this.limits = {
      memory: machine.cgroups?.limits('memory') ? 'cgroup' : machine.dataLimit > 0 ? 'prlimit' : 'none',
      processes: machine.cgroups?.limits('processes') ? 'cgroup' : 'none',
      disk: machine.diskLimit > 0 ? 'watched' : 'none',
      reason: machine.groupsProblem,
    };
  }

  get reason(): string | null {
    const { client, reason } = this.machine;
    return client === null ? reason : client.problem;
  }

  async ready(patienceMs?: number): Promise<void> {
    try {
      await this.machine.client?.ready(patienceMs);
    } catch (error) {
      throw new AppError('isolation_unavailable', { reason: (error as Error).message });
    }
  }

  holdBy(until: () => number | null): void {
    this.machine.client?.holdBy(until);
  }

  open(id: string, confinement: Confinement): Cell {
    return new LocalCell(this.machine, confinement, this.machine.cgroups?.open(id) ?? null);
  }
}

class LocalCell implements Cell {
  private hit: LimitHit | null = null;
  private disk: DiskWatch | null = null;

  constructor(
    private readonly machine: Machine,
    private readonly confinement: Confinement,
    private readonly group: Cgroup | null,
  ) {}

  get starter(): Cell['starter'] {
    return this.machine.client ?? undefined;
  }

  wrap(command: Command, cwd: string): Command {
    const { isolation, dataLimit } = this.machine;
    if (isolation === 'container') return dataLimit > 0 ? limitedByShell(dataLimit, command) : command;
    const limited = dataLimit > 0 ? prlimit(dataLimit, command) : command;
    const walled = isolation === 'none' ? limited : this.wall(limited, cwd);
    return this.group?.wrap(walled) ?? walled;
  }

  private wall(command: Command, cwd: string): Command {
    const { hidden, shown, user } = this.machine;
    const readable = [...shown, ...this.confinement.readable];
    const inside = typeof this.confinement.network === 'object' ? withRelay(command) : command;
    return insideBubblewrap(inside, cwd, bubblewrapArgs({ ...this.confinement, readable }, hidden, user));
  }

  hear({ stream, text }: { stream: 'stdout' | 'stderr'; text: string }): void {
    if (this.machine.dataLimit > 0 && stream === 'stderr' && isAllocationFailure(text)) this.hit = 'memory';
  }

  watch(exceeded: () => void): void {
    const { counted = [] } = this.confinement;
    if (this.machine.diskLimit === 0) return;
    this.disk = new DiskWatch(counted, this.machine.diskLimit, () => {
      this.hit = 'disk';
      exceeded();
    });
  }

  limitHit(): LimitHit | null {
    return (this.hit ??= this.group?.limitHit() ?? null);
  }

  async close(): Promise<void> {
    this.disk?.stop();
    this.limitHit();
    await this.group?.remove();
  }
}
