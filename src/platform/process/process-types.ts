import type { Readable, Writable } from 'node:stream';

export type OutputStream = 'stdout' | 'stderr';

/** One line of output, or a part of one that is longer than an entry may be. */
export interface OutputLine {
  stream: OutputStream;
  text: string;
  /** The line goes on in the next part. */
  continues: boolean;
}

export interface ProcessSpec {
  program: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment of the child; nothing is inherited. */
  env: Readonly<Record<string, string>>;
  /** Unique per run; set as TASKYARD_RUN in the environment so that survivors in other sessions are found. */
  marker: string;
  /** `closed`: reads of standard input end at once. */
  stdin: 'closed' | 'pipe';
  /** What it throws kills the process. */
  onLine: (line: OutputLine) => void;
  /** Asked after each read: no more is read of that stream until it settles. What it throws kills the process, too. */
  untilRoom?: () => Promise<void>;
  /** Default: beside this server. */
  launcher?: Launcher | undefined;
}

/** Starts programs, each in a session and process group of its own, without a shell. */
export interface Launcher {
  /** Never throws. */
  launch(spec: ProcessSpec): Launched;
}

export interface Launched {
  /** Null where it could not be started, as `exited` says then. */
  child: LaunchedChild | null;
  exited: Promise<ProcessEnd>;
}

export interface LaunchedChild {
  /** As this process sees it; null where it does not. */
  pid: number | null;
  stdin: Writable | null;
  stdout: Readable;
  stderr: Readable;
  /** To its group; nothing once it has exited. */
  signal(name: NodeJS.Signals): void;
  /** Once it has exited: what is left of its group, or bears its marker. */
  killSurvivors(): Promise<void>;
}

export interface ProcessEnd {
  exit_code: number | null;
  signal: NodeJS.Signals | null;
  /** Set when the program could not be started. */
  spawn_error: string | null;
  /** Whoever started it is gone, and nobody can tell how it ended. */
  isLost?: true;
}

export interface StopOptions {
  /** Straight to SIGKILL and sweep. */
  force: boolean;
  /** Protocol-level cancel, tried first. SIGINT follows when it has settled, or after its grace, unless the program
   *  has exited; one that was confirmed shortens what follows. */
  cancel?: () => Promise<void>;
}
