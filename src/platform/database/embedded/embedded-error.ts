import { statfsSync } from 'node:fs';

/** Why the embedded database cannot serve; the message is one line and says what to do. */
export class EmbeddedPostgresError extends Error {}

/** Less than one write-ahead segment (16 MiB): PostgreSQL can neither create a cluster nor recover one. */
const leastFreeBytes = 16 * 1024 * 1024;

/** The cause, in one line, of a program that failed while it worked in `folder`. */
export function explain(program: string, output: string, folder: string): EmbeddedPostgresError {
  if (/No space left on device|Check free disk space/.test(output) || freeBytes(folder) < leastFreeBytes)
    return diskFull(folder);
  if (output.includes('could not look up effective user ID')) {
    return new EmbeddedPostgresError(
      'The embedded PostgreSQL needs an entry in /etc/passwd for the current user: add one, or set DATABASE_URL.',
    );
  }
  return new EmbeddedPostgresError(
    `The embedded PostgreSQL failed (${program}: ${complaint(output)}): ` +
      `check its files in ${folder}, or set DATABASE_URL.`,
  );
}

/** A refusal of the file system in one line; anything else comes back as it is. */
export function explainFileError(error: unknown, folder: string): unknown {
  const { code, path: file } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return diskFull(folder);
  if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') return error;
  return new EmbeddedPostgresError(
    `${file ?? folder} is not accessible to this user (${code}): start as its owner, ` +
      'choose another DATA_DIR, or set DATABASE_URL.',
  );
}

function diskFull(folder: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The disk that holds ${folder} is full: free some space, choose another DATA_DIR, or set DATABASE_URL.`,
  );
}

function freeBytes(folder: string): number {
  const disk = statfsSync(folder);
  return disk.bavail * disk.bsize;
}

/** What callers are told who came too early. */
const NOT_YET = /the database system is (starting up|in recovery mode|not yet accepting connections)/;

/** The first complaint is the cause; later ones follow from it. */
function complaint(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !NOT_YET.test(line));
  return lines.find((line) => /FATAL|PANIC|error/i.test(line)) ?? lines.at(-1) ?? 'no message';
}
