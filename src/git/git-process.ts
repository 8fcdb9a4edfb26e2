import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { inSpan } from '../platform/telemetry/scope.js';

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
// A helper that outlives git may hold the pipes open.
const DRAIN_MS = 1_000;

/** Runs git in a process group of its own, without a shell and without a terminal, and always ends. */
export class GitProcess {
  readonly ended: Promise<GitProcessEnd>;
  private readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  private readonly chunks: Buffer[] = [];
  private readonly timers: NodeJS.Timeout[] = [];
  private size = 0;
  private stderr = '';
  private overflowed = false;
  private timedOut = false;

  constructor(private readonly spec: GitProcessSpec) {
    // The folder is given by -C, so that a missing one is git's error and not a missing git.
    const stdio: ['pipe', 'pipe', 'pipe', 'pipe' | 'ignore'] = ['pipe', 'pipe', 'pipe', 'ignore'];
    if (spec.secret !== undefined) stdio[3] = 'pipe';
    this.child = spawn(spec.program, spec.args, {
      cwd: '/',
      env: spec.env,
      detached: true,
      stdio,
    }) as typeof this.child;
    this.passSecret();
    this.ended = new Promise((resolve) => this.observe(resolve));
  }

  /** Ends the whole group. */
  stop(): void {
    this.signal('SIGTERM');
    this.after(KILL_AFTER_MS, () => this.signal('SIGKILL'));
  }

  private passSecret(): void {
    const pipe = this.child.stdio[3];
    if (!(pipe instanceof Writable)) return;
    pipe.on('error', () => undefined); // git may end without having asked
    pipe.end(this.spec.secret);
  }

  private observe(resolve: (end: GitProcessEnd) => void): void {
    const { child } = this;
    const finish = (exitCode: number | null, spawnFailed = false) => {
      this.timers.forEach(clearTimeout);
      const { stderr, overflowed, timedOut } = this;
      resolve({ exitCode, stdout: Buffer.concat(this.chunks), stderr, overflowed, timedOut, spawnFailed });
    };
    child.once('error', () => finish(null, true));
    child.once('close', (code) => finish(code));
    child.once('exit', () => this.after(DRAIN_MS, () => this.abandonPipes()));
    if (this.spec.sink) child.stdout.pipe(this.spec.sink).on('error', () => this.stop());
    else child.stdout.on('data', (chunk: Buffer) => this.collect(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk.toString()).slice(-STDERR_BYTES);
    });
    child.stdin.on('error', () => undefined); // git may end before it has read everything; its exit code says how
    if (this.spec.input instanceof Readable) this.spec.input.pipe(child.stdin);
    else child.stdin.end(this.spec.input);
    this.after(this.spec.timeoutMs, () => {
      this.timedOut = true;
      this.stop();
    });
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

  private abandonPipes(): void {
    this.signal('SIGKILL');
    this.child.stdout.destroy();
    this.child.stderr.destroy();
  }

  private signal(signal: NodeJS.Signals): void {
    try {
      if (this.child.pid) process.kill(-this.child.pid, signal);
    } catch {
      // The group has already ended.
    }
  }

  private after(ms: number, work: () => void): void {
    this.timers.push(setTimeout(work, ms));
  }
}

/** Processes of git, all of which can be ended. */
export class RunningGit {
  private readonly running = new Set<GitProcess>();

  async run(spec: GitProcessSpec, command: string): Promise<GitProcessEnd> {
    const process = new GitProcess(spec);
    this.running.add(process);
    try {
      return await inSpan(`git ${command}`, {}, () => process.ended);
    } finally {
      this.running.delete(process);
    }
  }

  async stopAll(): Promise<void> {
    const processes = [...this.running];
    processes.forEach((process) => process.stop());
    await Promise.all(processes.map((process) => process.ended));
  }
}
