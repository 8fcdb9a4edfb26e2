import type { Launcher } from '../process/process-types.js';
import type { Starter } from '../process/spawner.js';

/** What one process may reach, as absolute paths. Whatever is not named here is read-only or hidden. */
export interface Confinement {
  /** Folders and files it may write; what does not exist is left out. */
  writable: readonly string[];
  /** What it must see though it lies below a hidden folder: its program, for one. */
  readable: readonly string[];
  /** What stands elsewhere inside than outside. */
  mounted?: readonly Mount[];
  /** Folders of its own, whose size together is limited. */
  counted?: readonly string[];
  /** Variables that hold inside alone. */
  environment?: Readonly<Record<string, string>>;
  /** Default: that of the host. `none`: a loopback that leads nowhere; with a way out, RELAY_ORIGIN leads there. */
  network?: 'none' | WayOutSocket;
}

/** A folder or file at a place of its own. No link below a writable mount may lead the way to the next one. */
export interface Mount {
  source: string;
  target: string;
  isWritable: boolean;
}

/** A unix socket that serves one process alone. */
export interface WayOutSocket {
  socket: string;
}

export interface Command {
  program: string;
  args: readonly string[];
}

/** Which limit cut a process off. */
export type LimitHit = 'memory' | 'processes' | 'disk';

/** How a limit is kept on this machine. `none`: not at all. */
export interface Limits {
  memory: 'cgroup' | 'prlimit' | 'none';
  processes: 'cgroup' | 'none';
  disk: 'watched' | 'none';
  /** Why there are no control groups; null where there are, or nothing is to be limited. */
  reason: string | null;
}

/** `container`: in another container than this server, together with all other runs there. */
export const isolations = ['bubblewrap', 'container', 'none'] as const;
export type Isolation = (typeof isolations)[number];

/** The walls around one process, from before its start until after its end. */
export interface Cell {
  /** Who starts the command; undefined for this server itself. */
  readonly starter: (Launcher & Starter) | undefined;
  /** The command that runs the given one inside. */
  wrap(command: Command, cwd: string): Command;
  /** Shown every line of the process: where the kernel counts nothing, its last words say what it ran into. */
  hear(line: { stream: 'stdout' | 'stderr'; text: string }): void;
  /** Until it is closed. @param exceeded called where the process must be killed for a limit, which `limitHit` says */
  watch(exceeded: () => void): void;
  /** Asked once the process has ended: the limit it ran into, or null. */
  limitHit(): LimitHit | null;
  /** Once nothing of the process is left. Never fails. */
  close(): Promise<void>;
}

/** What this machine offers to confine a process. Chosen once, at start, by trying. */
export interface Sandbox {
  readonly isolation: Isolation;
  /** Why there is no isolation, or nothing can be started in it at the moment; null where all is well. */
  readonly reason: string | null;
  readonly limits: Limits;
  /** @param id unique among live processes, made of letters, digits and `-` */
  open(id: string, confinement: Confinement): Cell;
  /** Waits a while where the container for runs is only about to start. @throws AppError isolation_unavailable */
  ready(patienceMs?: number): Promise<void>;
  /** Fences what runs beyond the reach of this server's own guard.
   *  @param until until when it may run should this server freeze, by `performance.now()`; null for ever */
  holdBy(until: () => number | null): void;
}

export const SANDBOX = Symbol('Sandbox');

/** Processes as they are. */
export const withoutWalls: Sandbox = {
  isolation: 'none',
  reason: null,
  limits: { memory: 'none', processes: 'none', disk: 'none', reason: null },
  open: () => ({
    starter: undefined,
    wrap: (command) => command,
    hear: () => undefined,
    watch: () => undefined,
    limitHit: () => null,
    close: () => Promise.resolve(),
  }),
  ready: () => Promise.resolve(),
  holdBy: () => undefined,
};
