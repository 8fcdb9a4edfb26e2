import { Readable, type Writable } from 'node:stream';
import { settledWithin } from '../platform/process/settled-within.js';
import { type Spawned, spawner, type Starter } from '../platform/process/spawner.js';
import { inSpan } from '../platform/telemetry/scope.js';
import { GitError } from './git-error.js';

export interface GitProcessSpec {
  /** git, or what puts it behind walls. */
  program: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  input?: Buffer | string | Readable | undefined;
  /** Takes standard output as it comes, which is then not collected. */
  sink?: Writable | undefined;
  /** Given to the process through a pipe at file descriptor 3. */
  secret?: string | undefined;
  /** Default: beside this server. */
  starter?: Starter | undefined;
  timeoutMs: number;
  /** Standard output beyond this is not read; the process is ended. */
  maxBytes: number;
}

export interface GitProcessEnd {
  exitCode: number | null;
  stdout: Buffer;
  /** Its last 16 KB. */
  stderr: string;
  overflowed: boolean;
  timedOut: boolean;
  spawnFailed: boolean;
}

const STDERR_BYTES = 16 * 1024;
// SIGTERM lets git remove its lock files.
const KILL_AFTER_MS = 2_000;
const QUIET_MS = 1_000;

/** Runs git in a process group of its own, without a shell and without a terminal, and always ends. */
export class GitProcess {
  readonly ended: Promise<GitProcessEnd>;
  private child: Spawned | null = null;
  private isUnwanted = false;
  private readonly chunks: Buffer[] = [];
  private readonly timers: NodeJS.Timeout[] = [];
  private size = 0;
  /** Bytes of both streams. */
  private arrived = 0;
  private stderr = '';
  private overflowed = false;
  private timedOut = false;

  constructor(private readonly spec: GitProcessSpec) {
    this.ended = this.run().finally(() => this.timers.forEach(clearTimeout));
  }

  /** Ends the whole group. */
  stop(): void {
    this.isUnwanted = true;
    this.signal('SIGTERM');
    this.after(KILL_AFTER_MS, () => this.signal('SIGKILL'));
  }

  private async run(): Promise<GitProcessEnd> {
    this.after(this.spec.timeoutMs, () => {
      this.timedOut = true;
      this.stop();
    });
    const child = await this.start().catch(() => null);
    if (child === null) {
      this.spec.sink?.end();
      return this.end(null, true);
    }
    this.child = child;
    if (this.isUnwanted) this.stop();
    const closed = this.connect(child);
    const exitCode = await child.exited;
    await this.drain(child, closed);
    return this.end(exitCode);
  }

  private start(): Promise<Spawned> {
    const { program, args, env, input, secret, starter = spawner } = this.spec;
    // The folder is given by -C, so that a missing one is git's error and not a missing git.
    return starter.start({ program, args, env, streams: [input !== undefined, true, true], secret });
  }

  /** Settles when standard output and standard error are read to their ends. */
  private async connect({ streams: [stdin, stdout, stderr] }: Spawned): Promise<void> {
    const { input = '', sink } = this.spec;
    stdin?.resume(); // so that its end is seen
    if (input instanceof Readable) input.pipe(stdin!);
    else stdin?.end(input);
    if (sink) stdout!.pipe(sink).on('error', () => this.stop());
    else stdout!.on('data', (chunk: Buffer) => this.collect(chunk));
    for (const stream of [stdout!, stderr!]) stream.on('data', (chunk: Buffer) => (this.arrived += chunk.length));
    stderr!.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk.toString()).slice(-STDERR_BYTES);
    });
    await Promise.all([closing(stdout!), closing(stderr!)]);
  }

  private end(exitCode: number | null, spawnFailed = false): GitProcessEnd {
    const { stderr, overflowed, timedOut } = this;
    return { exitCode, stdout: Buffer.concat(this.chunks), stderr, overflowed, timedOut, spawnFailed };
  }

  private collect(chunk: Buffer): void {
    if (this.overflowed) return;
    const room = this.spec.maxBytes - this.size;
    this.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.size += chunk.length;
    if (chunk.length <= room) return;
    this.overflowed = true;
    this.stop();
  }

  /** Reads to the end. A helper that outlives git may hold the pipes open: it is killed or, where it has left the
   *  group, no longer listened to once nothing comes, or too much. */
  private async drain({ streams }: Spawned, closed: Promise<void>): Promise<void> {
    if (await settledWithin(closed, QUIET_MS)) return;
    this.signal('SIGKILL');
    for (let arrived = -1; !this.isUnwanted && this.goesOn(arrived);) {
      ({ arrived } = this);
      if (await settledWithin(closed, QUIET_MS)) return;
    }
    streams.forEach((stream) => stream?.destroy());
    this.spec.sink?.end();
  }

  private goesOn(arrived: number): boolean {
    return this.arrived > arrived || this.spec.sink?.writableNeedDrain === true;
  }

  /** Nothing where the group has already ended. */
  private signal(name: NodeJS.Signals): void {
    this.child?.signal(name);
  }

  private after(ms: number, work: () => void): void {
    this.timers.push(setTimeout(work, ms));
  }
}

function closing(stream: Readable): Promise<void> {
  return new Promise((resolve) => void (stream.closed ? resolve() : stream.once('close', () => resolve())));
}

/** How git fails that is ended with its server. */
export const ended = (command: string): GitError => new GitError({ command, exitCode: null, stderr: '', cause: null });

/** Processes of git, all of which can be ended. */
export class RunningGit {
  private readonly running = new Set<GitProcess>();
  private isOver = false;

  get isStopped(): boolean {
    return this.isOver;
  }

  /** @throws GitError once all have been ended */
  async run(spec: GitProcessSpec, command: string): Promise<GitProcessEnd> {
    if (this.isOver) throw ended(command);
    const process = new GitProcess(spec);
    this.running.add(process);
    try {
      return await inSpan(`git ${command}`, {}, () => process.ended);
    } finally {
      this.running.delete(process);
    }
  }

  /** For good: nothing starts any more. */
  async stopAll(): Promise<void> {
    this.isOver = true;
    const processes = [...this.running];
    processes.forEach((process) => process.stop());
    await Promise.all(processes.map((process) => process.ended));
  }
}
