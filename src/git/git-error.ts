import { AppError } from '../platform/errors/app-error.js';
import type { ErrorCode } from '../platform/errors/error-catalogue.js';

export interface GitFailure {
  /** The git command, such as `worktree`. */
  command: string;
  exitCode: number | null;
  stderr: string;
  /** What ended it, when it was not git itself. */
  cause: 'timeout' | 'overflow' | 'spawn' | 'disk_full' | null;
}

const REASON_LIMIT = 300;
const FOREIGN = /detected dubious ownership in repository/;
// The last, without a reason after it, is what git says about a checkout that did not fit on the disk.
const FULL = /No space left on device|Disk quota exceeded|unable to write file '?[^:\n]*$/m;
// The last two come from parallel `worktree add` and `worktree prune`.
const LOCKED = [
  /\.lock': File exists/,
  /could not lock config file .*: File exists/,
  /Another git process seems to be running/,
  /\/worktrees\/[^/]+\/commondir: Success/,
  /could not open .*\/worktrees\/[^/]+\/locked/,
];

/** A git call that failed, with the code the caller can act on: repo_locked, repo_invalid, storage_full or
 *  git_failed. */
export class GitError extends AppError {
  constructor(readonly failure: GitFailure) {
    super(codeOf(failure), { reason: reasonOf(failure) });
  }

  says(text: RegExp): boolean {
    return text.test(this.failure.stderr);
  }
}

function codeOf({ cause, stderr }: GitFailure): ErrorCode {
  if (FOREIGN.test(stderr)) return 'repo_invalid';
  if (cause === 'disk_full' || FULL.test(stderr)) return 'storage_full';
  return cause === null && LOCKED.some((text) => text.test(stderr)) ? 'repo_locked' : 'git_failed';
}

function reasonOf({ command, cause, exitCode, stderr }: GitFailure): string {
  if (cause === 'timeout') return `git ${command} did not end in time`;
  if (cause === 'overflow') return `git ${command} wrote more than is allowed`;
  if (FOREIGN.test(stderr)) return 'it belongs to another user and is not named in REPOSITORY_TRUST';
  if (cause === 'spawn') return 'git could not be started; is it installed?';
  return (
    decisiveLine(withoutCredentials(stderr)).slice(0, REASON_LIMIT) ||
    `git ${command} ended with ${exitCode ?? 'a signal'}`
  );
}

/** git reports the cause first and consequences after it; progress and hints are neither. */
function decisiveLine(stderr: string): string {
  const lines = stderr
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter(Boolean);
  const line =
    lines.find((text) => /^fatal: /.test(text)) ?? lines.find((text) => /^error: /.test(text)) ?? lines.at(-1) ?? '';
  return line.replace(/^(fatal|error): /, '').replace(/\.+$/, '');
}

/** User, password and query of a URL may be secrets. */
function withoutCredentials(text: string): string {
  return text.replace(/:\/\/[^/\s'"]*@/g, '://').replace(/(:\/\/[^\s'"?]*)\?[^\s'"]*/g, '$1');
}
