import { statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { GitError, type GitFailure } from './git-error.js';
import { type GitProcessEnd, type GitProcessSpec, RunningGit } from './git-process.js';
import { ifThere } from './if-there.js';
import { withoutOwnFilters } from './own-filters.js';

/** Settings that win over the user's: hooks, background upkeep, monitors and prompts of the user never run for us.
 *  The system and user configuration is read all the same: filters (Git LFS), proxies and certificates live there. */
export const ownSettings: Readonly<Record<string, string>> = {
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
  return [...Object.entries(ownSettings).flatMap(([key, value]) => option(key, value)), ...safe];
}

/** @param ceiling the repository must be `dir` itself: in a damaged worktree git would else climb up and work on
 *  whatever
 *  repository holds the data folder. */
function environmentFor(dir: string, base: Readonly<Record<string, string>>, ceiling: boolean): Record<string, string> {
  return { ...base, ...ownVariables, ...(ceiling ? { GIT_CEILING_DIRECTORIES: path.dirname(dir) } : {}) };
}

/** Of every git of ours. */
export const ownVariables: Readonly<Record<string, string>> = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null',
  // A repository can declare itself a partial clone, whose missing objects git would fetch with programs from its
  // configuration. Nothing is fetched unless a call allows it. git 2.39 does not know the second variable.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
};

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
export const MAX_BYTES = 64 * 1024 * 1024;
const DISK_FULL_BYTES = 1024 * 1024;
// Messages with which git does not say why it could not write.
const COULD_NOT_WRITE = /unable to (write|create|append)|could(n't| not) (write|create)|failed to write|write error/i;

/** Whatever runs git commands. */
export type GitRunner = Pick<Git, 'run' | 'text'>;

/** The git program: fixed settings, a scrubbed environment, no shell, bounded in time and bytes. */
export class Git {
  private readonly running = new RunningGit();
  private readonly fixedArguments: readonly string[];
  /** Of calls without a time of their own. */
  readonly timeoutMs: number;

  /** @param environment PATH and HOME; nothing else is inherited.
   *  @param options `trusted`: repositories of other users to work on; `timeoutMs`: of calls without a time of their
   *  own */
  constructor(
    readonly environment: Readonly<Record<string, string>>,
    { trusted = [], timeoutMs = TIMEOUT_MS }: { trusted?: readonly string[]; timeoutMs?: number } = {},
  ) {
    this.fixedArguments = fixedArguments(trusted);
    this.timeoutMs = timeoutMs;
  }

  /** @param dir root of a repository or a worktree, unless `discover`. @throws GitError */
  async run(dir: string, args: readonly string[], options: GitOptions = {}): Promise<GitOutput> {
    return outputOf(await this.runProcess(dir, args, options), args[0] ?? '', dir, options);
  }

  /** Standard output without its last line end. @throws GitError */
  async text(dir: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
    return (await this.run(dir, args, options)).stdout.toString('utf8').replace(/\n$/, '');
  }

  /** Ends every git that still runs. */
  stopAll(): Promise<void> {
    return this.running.stopAll();
  }

  /** Feeds a stream to a command of a repository that only this server writes. @throws GitError */
  async feed(dir: string, args: readonly string[], input: Readable, options: GitOptions = {}): Promise<GitOutput> {
    const spec = { ...this.specOf(dir, args, options), input };
    return outputOf(await this.running.run(spec, args[0] ?? ''), args[0] ?? '', dir, options);
  }

  /** Environment that disables a repository's own filters, for a git that another git starts. */
  filtersOff(dir: string, env: GitOptions['env'] = {}): Promise<Record<string, string>> {
    const read = (args: readonly string[]) => this.text(dir, args, { env, accept: [0, 1], readsNoFiles: true });
    return withoutOwnFilters(read, dir, env, this.environment.PATH ?? '');
  }

  private async runProcess(dir: string, args: readonly string[], options: GitOptions): Promise<GitProcessEnd> {
    const filters = options.readsNoFiles ? {} : await this.filtersOff(dir, options.env);
    return this.running.run(this.specOf(dir, args, options, filters), args[0] ?? '');
  }

  private specOf(dir: string, args: readonly string[], options: GitOptions, filters = {}): GitProcessSpec {
    return {
      program: 'git',
      args: ['-C', dir, ...this.fixedArguments, ...args],
      env: { ...environmentFor(dir, this.environment, options.discover !== true), ...filters, ...options.env },
      input: options.input,
      secret: options.secret,
      timeoutMs: options.timeoutMs ?? this.timeoutMs,
      maxBytes: options.maxBytes ?? MAX_BYTES,
    };
  }
}

/** The answer of a command. @param dir where it wrote. @throws GitError where it has none */
export async function outputOf(
  end: GitProcessEnd,
  command: string,
  dir: string,
  { cut: mayCut, accept = [0] }: Pick<GitOptions, 'cut' | 'accept'>,
): Promise<GitOutput> {
  const { stdout, stderr, exitCode, overflowed, timedOut } = end;
  const cut = overflowed && mayCut === true;
  const answered = exitCode !== null && accept.includes(exitCode);
  if (cut || (answered && !timedOut && !overflowed)) return { stdout, stderr, exitCode, cut };
  throw new GitError({ command, exitCode, stderr, cause: await causeOf(end, dir) });
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
