import { lstat } from 'node:fs/promises';

// Error codes of paths that do not exist or may not be read.
const ABSENT = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'EACCES',
  'EPERM',
  'EISDIR',
  'EINVAL',
  'ENXIO',
  'ENODEV',
  'ESRCH',
]);

/** Null for what is not there: paths vanish while agents work. Other failures, such as too many open files, are
 *  thrown. */
export function ifThere<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch(orNull);
}

/** For use in a `catch`. @throws the error, unless it says that something is not there */
export function orNull(error: unknown): null {
  if (!ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  return null;
}

export async function exists(file: string): Promise<boolean> {
  return (await ifThere(lstat(file))) !== null;
}
