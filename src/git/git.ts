import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { inSpan } from '../platform/telemetry/scope.js';
import { GitError, type GitFailure } from './git-error.js';
import { GitProcess, type GitProcessEnd } from './git-process.js';
import { ifThere } from './if-there.js';
import { withoutOwnFilters } from './own-filters.js';

/** Settings that win over the user's: hooks, background upkeep, monitors and prompts of the user never run for us.
 *  The system and user configuration is read all the same: filters (Git LFS), proxies and certificates live there. */
const settings = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.quotePath': 'false',
  'core.splitIndex': 'false',
  'core.safecrlf': 'false',
  'core.askPass': '',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'submodule.recurse': 'false',
  // Filling a tree waits for the disk: 8 writers took 0.9 s where one took 6-13 s on a busy disk.
  'checkout.workers': '8',
  'advice.addEmbeddedRepo': 'false',
  'user.name': 'Taskyard',
  'user.email': 'taskyard@localhost',
};

const option = (key: string, value: string): string[] => ['-c', `${key}=${value}`];

/** The empty value drops what system and user trust: git works on other users' repositories only if they are listed.
 *  @param trusted folders of repositories that belong to another user */
function fixedArguments(trusted: readonly string[]): string[] {
  const safe = ['', ...trusted].flatMap((folder) => option('safe.directory', folder));
  return [...Object.entries(settings).flatMap(([key, value]) => option(key, value)), ...safe];
}

/** @param ceiling the repository must be `dir` itself: in a damaged worktree git would else climb up and work on
 *  whatever
 *  repository holds the data folder. */
function environmentFor(dir: string, base: Readonly<Record<string, string>>, ceiling: boolean): Record<string, string> {
  return {
    ...base,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    // A repository can declare itself a partial clone, whose missing objects git would fetch with programs from its
    // configuration. Nothing is fetched unless a call allows it. git 2.39 does not know the second variable.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    ...(ceiling ? { GIT_CEILING_DIRECTORIES: path.dirname(dir) } : {}),
  };
}

export interface GitOptions {
  input?: Buffer | string;
  env?: Readonly<Record<string, string>>;
  /** Read once from file descriptor 3 by a program that git starts. */
  secret?: string;
  timeoutMs?: number;
  /** Of standard output; default 64 MiB. */
  maxBytes?: number;
  /** More than `maxBytes` cuts the answer instead of failing the call. */
  cut?: boolean;
  /** Exit codes that are answers; default 0 alone. */
  accept?: readonly number[];
  /** The call reads no files, so the repository's own filters need not be disabled. */
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
// Messages with which git does not say why it could not write.
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

  /** Environment that disables a repository's own filters, for a git that another git starts. */
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
