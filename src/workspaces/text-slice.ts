import { isUtf8 } from 'node:buffer';

/** Bytes beyond the wanted ones that `textSlice` may have to see: the rest of a character before, and one more. */
export const lookAhead = 6;

/** Cuts bytes at the characters of UTF-8: one that began before them is left out, one that ends beyond `wanted` too. A
 *  first character longer than `wanted` is given whole, so that paging always moves on.
 *  @param bytes `wanted` and up to `lookAhead` more; fewer mean the end of the file
 *  @param isStart the bytes begin the file, so no character began before them
 *  @returns null when they are not text: a NUL, or a sequence that is not UTF-8 */
export function textSlice(
  bytes: Buffer,
  wanted: number,
  isStart: boolean,
): { skipped: number; content: Buffer } | null {
  const skipped = isStart ? 0 : continuationsFrom(bytes, 0);
  const content = bytes.subarray(skipped, endOfCharacters(bytes, skipped, wanted));
  return !content.includes(0) && isUtf8(content) ? { skipped, content } : null;
}

function endOfCharacters(bytes: Buffer, start: number, wanted: number): number {
  if (wanted >= bytes.length) return bytes.length;
  const end = wanted - continuationsBefore(bytes, wanted);
  return end > start ? end : start + 1 + continuationsFrom(bytes, start + 1);
}

/** Bytes to step back from `end` so that no character is cut; at most three, longer rows are no text. */
function continuationsBefore(bytes: Buffer, end: number): number {
  let count = 0;
  while (count < 3 && isContinuation(bytes[end - count])) count += 1;
  return count;
}

function continuationsFrom(bytes: Buffer, at: number): number {
  let count = 0;
  while (count < 3 && isContinuation(bytes[at + count])) count += 1;
  return count;
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
