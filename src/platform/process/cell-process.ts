import type { Socket } from 'node:net';
import { PassThrough, pipeline } from 'node:stream';
import type { LaunchedChild, ProcessEnd } from './process-types.js';
import type { ExpectedStreams } from './stream-meeting.js';

export interface CellRequest {
  program: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment, but for what the container knows better, such as PATH and HOME. */
  env: Readonly<Record<string, string>>;
  /** Of the run, to find what leaves its group. */
  marker: string;
}

/** What a launcher says of a process. */
export type Report = { id: number } & (
  { pid: number } | { code: number | null; signal: NodeJS.Signals | null } | { error: string } | { swept: true }
);

interface Line {
  signal(name: NodeJS.Signals): void;
  sweep(): void;
  /** Nothing more is said of it. */
  over(): void;
}

interface Started {
  pid: number;
  streams: readonly (Socket | null)[];
}

/** One process in another container. */
export class CellProcess {
  /** Rejects where the program could not be started. */
  readonly started: Promise<Started>;
  readonly exited: Promise<ProcessEnd>;
  private readonly swept: Promise<void>;
  private begin!: (pid: number) => void;
  private fail!: (error: Error) => void;
  private end!: (end: ProcessEnd) => void;
  private leave!: () => void;

  constructor(
    private readonly expected: ExpectedStreams,
    private readonly line: Line,
  ) {
    const failed = new Promise<never>((_, reject) => (this.fail = reject));
    const told = new Promise<number>((resolve) => (this.begin = resolve));
    this.exited = new Promise((resolve) => (this.end = resolve));
    this.swept = new Promise((resolve) => (this.leave = resolve));
    const all = Promise.all([told, expected.met]).then(([pid, streams]) => ({ pid, streams }));
    this.started = Promise.race([all, failed]);
    this.started.catch(() => expected.giveUp());
  }

  /** With streams that are there at once, and filled once the process is. */
  asChild(): LaunchedChild {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const connect = ({ streams: [input, output, errors] }: Started): void => {
      if (input) pipeline(stdin, input, () => undefined);
      pipeline(output!, stdout, () => undefined);
      pipeline(errors!, stderr, () => undefined);
    };
    this.started.then(connect, () => [stdin, stdout, stderr].forEach((stream) => stream.destroy()));
    const hasStdin = this.expected.names[0] !== null;
    return {
      ...{ pid: null, stdin: hasStdin ? stdin : null, stdout, stderr },
      signal: (name) => this.signal(name),
      killSurvivors: () => this.killSurvivors(),
    };
  }

  signal(name: NodeJS.Signals): void {
    this.line.signal(name);
  }

  killSurvivors(): Promise<void> {
    this.line.sweep();
    return this.swept;
  }

  hear(report: Report): void {
    if ('pid' in report) this.begin(report.pid);
    else if ('swept' in report) this.forget();
    else if ('error' in report) this.ended({ exit_code: null, signal: null, spawn_error: report.error });
    else this.ended({ exit_code: report.code, signal: report.signal, spawn_error: null });
  }

  /** Nobody knows any more what became of it. */
  lose(): void {
    this.ended({ exit_code: null, signal: null, spawn_error: null, isLost: true });
    this.forget();
  }

  /** What ended by itself has been started, though its streams may come later than this news. */
  private ended(end: ProcessEnd): void {
    if (end.spawn_error !== null || end.isLost) this.fail(new Error(end.spawn_error ?? 'its launcher ended'));
    this.end(end);
  }

  private forget(): void {
    this.leave();
    this.line.over();
  }
}
