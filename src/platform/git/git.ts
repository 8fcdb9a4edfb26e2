import { statfs } from 'node:fs/promises';
import { ifThere } from './if-there.js';
import { environmentFor, fixedArguments } from './git-environment.js';
import { GitError, type GitFailure } from './git-error.js';
import { withoutOwnFilters } from './own-filters.js';
import { inSpan } from '../telemetry/scope.js';
import { GitProcess, type GitProcessEnd } from './git-process.js';

export interface GitOptions {
  input?: Buffer | string;
  env?: Readonly<Record<string, string>>;
  /** To be read once from file descriptor 3, by what git starts. */
  secret?: string;
  timeoutMs?: number;
  /** Of standard output; default 64 MiB. */
  maxBytes?: number;
  /** More than `maxBytes` cuts the answer instead of failing the call. */
  cut?: boolean;
  /** Exit codes that are answers; default 0 alone. */
  accept?: readonly number[];
  /** The call looks at no file, so the filters that the repository configures need not be taken out of force. */
  readsNoFiles?: boolean;
  /** The folder may lie below the root of its repository. */
  discover?: boolean;
}

export interface GitOutput {
  stdout: Buffer;
  /** Its last 16 KB. */
  stderr: string;
  exitCode: number | null;
  cut: boolean;
}

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 64 * 1024 * 1024;
const DISK_FULL_BYTES = 1024 * 1024;
// For these git does not say why it could not write.
const COULD_NOT_WRITE = /unable to (write|create|append)|could(n't| not) (write|create)|failed to write|write error/i;

/** The git program: fixed settings, a scrubbed environment, no shell, bounded in time and bytes. */
export class Git {
  private readonly running = new Set<GitProcess>();

  private readonly fixedArguments: readonly string[];
  private readonly timeoutMs: number;

  /** @param environment PATH and HOME; nothing else is inherited.
   *  @param options `trusted`: repositories of other users to work on; `timeoutMs`: of calls without a time of their
   *  own */
  constructor(
    private readonly environment: Readonly<Record<string, string>>,
    { trusted = [], timeoutMs = TIMEOUT_MS }: { trusted?: readonly string[]; timeoutMs?: number } = {},
  ) {
    this.fixedArguments = fixedArguments(trusted);
    this.timeoutMs = timeoutMs;
  }

  /** @param dir root of a repository or a worktree, unless `discover`. @throws GitError */
  async run(dir: string, args: readonly string[], options: GitOptions = {}): Promise<GitOutput> {
    const end = await this.runProcess(dir, args, options);
    const cut = end.overflowed && options.cut === true;
    const answered = end.exitCode !== null && (options.accept ?? [0]).includes(end.exitCode);
    if (cut || (answered && !end.timedOut && !end.overflowed))
      return { stdout: end.stdout, stderr: end.stderr, exitCode: end.exitCode, cut };
    throw new GitError({
      command: args[0] ?? '',
      exitCode: end.exitCode,
      stderr: end.stderr,
      cause: await causeOf(end, dir),
    });
  }

  /** Standard output without its last line end. @throws GitError */
  async text(dir: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
    return (await this.run(dir, args, options)).stdout.toString('utf8').replace(/\n$/, '');
  }

  /** Ends every git that still runs. */
  async stopAll(): Promise<void> {
    const processes = [...this.running];
    processes.forEach((process) => process.stop());
    await Promise.all(processes.map((process) => process.ended));
  }

  /** Environment that keeps a repository's own filters from running programs, for a git that another git starts. */
  filtersOff(dir: string, env: GitOptions['env'] = {}): Promise<Record<string, string>> {
    const read = (args: readonly string[]) => this.text(dir, args, { env, accept: [0, 1], readsNoFiles: true });
    return withoutOwnFilters(read, dir, env, this.environment.PATH ?? '');
  }

  private async runProcess(dir: string, args: readonly string[], options: GitOptions): Promise<GitProcessEnd> {
    const filters = options.readsNoFiles ? {} : await this.filtersOff(dir, options.env);
    const process = new GitProcess({
      args: ['-C', dir, ...this.fixedArguments, ...args],
      env: { ...environmentFor(dir, this.environment, options.discover !== true), ...filters, ...options.env },
      input: options.input,
      secret: options.secret,
      timeoutMs: options.timeoutMs ?? this.timeoutMs,
      maxBytes: options.maxBytes ?? MAX_BYTES,
    });
    this.running.add(process);
    try {
      return await inSpan(`git ${args[0]}`, {}, () => process.ended);
    } finally {
      this.running.delete(process);
    }
  }
}

async function causeOf(end: GitProcessEnd, dir: string): Promise<GitFailure['cause']> {
  if (end.spawnFailed) return 'spawn';
  if (end.timedOut) return 'timeout';
  if (end.overflowed) return 'overflow';
  return COULD_NOT_WRITE.test(end.stderr) && (await isDiskFull(dir)) ? 'disk_full' : null;
}

async function isDiskFull(dir: string): Promise<boolean> {
  const disk = await ifThere(statfs(dir));
  return disk !== null && (disk.bavail * disk.bsize < DISK_FULL_BYTES || (disk.files > 0 && disk.ffree === 0));
}
