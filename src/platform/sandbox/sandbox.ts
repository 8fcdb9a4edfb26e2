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

export type Isolation = 'bubblewrap' | 'none';

/** The walls around one process, from before its start until after its end. */
export interface Cell {
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
  /** Why there is no isolation; null where there is. */
  readonly reason: string | null;
  readonly limits: Limits;
  /** @param id unique among live processes, made of letters, digits and `-` */
  open(id: string, confinement: Confinement): Cell;
}

export const SANDBOX = Symbol('Sandbox');

/** Processes as they are. */
export const withoutWalls: Sandbox = {
  isolation: 'none',
  reason: null,
  limits: { memory: 'none', processes: 'none', disk: 'none', reason: null },
  open: () => ({
    wrap: (command) => command,
    hear: () => undefined,
    watch: () => undefined,
    limitHit: () => null,
    close: () => Promise.resolve(),
  }),
};
