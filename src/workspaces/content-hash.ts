import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readlink } from 'node:fs/promises';
import { ifThere } from '../platform/git/if-there.js';

/** A larger file is told apart by its size alone. */
const MAX_BYTES = 64 * 1024 * 1024;

/** SHA-256 of what a file holds, or of where a link leads, without following it; null for what holds nothing to read:
 *  a file that is gone, a folder, a device. */
export async function contentHash(file: Buffer): Promise<string | null> {
  const entry = await ifThere(lstat(file));
  if (entry === null || entry.size > MAX_BYTES) return null;
  if (entry.isSymbolicLink()) {
    const target = await ifThere(readlink(file, 'buffer'));
    return target && createHash('sha256').update(target).digest('hex');
  }
  return entry.isFile() ? hashOf(file) : null;
}

async function hashOf(file: Buffer): Promise<string | null> {
  const handle = await ifThere(open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
  if (handle === null) return null;
  const hash = createHash('sha256');
  // the stream closes the handle at its end
  for await (const part of handle.createReadStream({ end: MAX_BYTES })) hash.update(part as Buffer);
  return hash.digest('hex');
}
