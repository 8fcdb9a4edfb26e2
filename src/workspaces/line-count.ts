import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const CHUNK_BYTES = 64 * 1024;
// Lines beyond are not counted: a file that long is over every guard by its bytes.
const MAX_BYTES = 16 * 1024 * 1024;
// As git does: a NUL near the start makes a file binary.
const BINARY_PROBE_BYTES = 8_000;
const LINE_FEED = 10;

/** Lines of a file as git counts them (a last line without line end is one); null for a binary or unreadable file. */
export async function countLines(file: Buffer): Promise<number | null> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
  if (handle === null) return null;
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let lines = 0;
    let last = LINE_FEED;
    for (let at = 0; at < MAX_BYTES;) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, at);
      if (bytesRead === 0) break;
      const part = chunk.subarray(0, bytesRead);
      if (at === 0 && isBinary(part)) return null;
      lines += lineFeeds(part);
      last = part[bytesRead - 1]!;
      at += bytesRead;
    }
    return lines + (last === LINE_FEED ? 0 : 1);
  } finally {
    await handle.close();
  }
}

export function isBinary(head: Buffer): boolean {
  return head.subarray(0, BINARY_PROBE_BYTES).includes(0);
}

function lineFeeds(part: Buffer): number {
  let count = 0;
  for (let at = part.indexOf(LINE_FEED); at !== -1; at = part.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}
