import { BoolField, IntField } from './fields.js';
import { beginningOf } from './formats.js';

const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 500;
export const MAX_WAIT_MS = 30_000;

/** More is refused, so that nobody takes a short wait for the long one that was asked for. */
export const WaitField = (purpose: string, options: { default?: number } = {}) =>
  IntField(`Milliseconds to wait ${purpose}`, {
    optional: true,
    minimum: 0,
    maximum: MAX_WAIT_MS,
    example: 20_000,
    ...options,
  });

/** `limit` above the cap is capped, never refused. */
export const LimitField = (defaultLimit = DEFAULT_LIMIT, cap = MAX_LIMIT) =>
  IntField(`Default ${defaultLimit}, max ${cap}.`, {
    optional: true,
    minimum: 1,
    default: defaultLimit,
  });
export const OlderCursorField = (example?: number) =>
  IntField('The last next_cursor.', {
    optional: true,
    minimum: 0,
    example,
  });

/** Inputs that page a list, newest first. */
export class PageInput {
  @LimitField() limit?: number;
  @OlderCursorField() cursor?: number;
}

/** Outputs that page a list. */
export class PageOutput {
  @IntField('Number of items in this response. Integer.', { example: 1 }) count!: number;
  @IntField('Limit that was applied, after the cap. Integer.', { example: 50 }) limit!: number;
  @BoolField('True if there are more; pass next_cursor as cursor.', { example: false }) has_more!: boolean;
  @IntField('Pass as cursor to get the next page. Integer, null at the end.', { nullable: true, example: null })
  next_cursor!: number | null;
}

export interface Page<T> extends PageOutput {
  rows: T[];
}

export function pageLimit(limit: number | undefined, defaultLimit = DEFAULT_LIMIT, cap = MAX_LIMIT): number {
  return Math.min(limit ?? defaultLimit, cap);
}

/** What a list holds where nobody asked for more than a usual page: ids make many tokens of few bytes. */
export const LIST_BYTES = 32 * 1024;
const MAX_LISTED_TEXT = 8 * 1024;

/** As many as fit, at least one. */
export function withinBytes<T>(rows: readonly T[], maxBytes: number): T[] {
  let bytes = 0;
  const end = rows.findIndex((row, at) => {
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
    return bytes > maxBytes && at > 0;
  });
  return end < 0 ? [...rows] : rows.slice(0, end);
}

/** A text as a list has it: one record alone has it all. */
export function listedText<T extends string | null>(text: T): T | string {
  const bytes = text === null ? 0 : Buffer.byteLength(text);
  if (text === null || bytes <= MAX_LISTED_TEXT) return text;
  return `${beginningOf(text, MAX_LISTED_TEXT)}… [cut after 8 KB of ${Math.ceil(bytes / 1024)}]`;
}

/** One page of `limit + 1` rows, or fewer if a budget cut them (`candidates` is how many there were); `number` of the
 *  last row continues the list. bigint arrives as text.
 *  @param usual the limit of who names none */
export function toPage<T extends { number: string; candidates?: number }>(
  rows: T[],
  limit: number,
  usual = DEFAULT_LIMIT,
): Page<T> {
  const page = withinBytes(rows.slice(0, limit), limit > usual ? Infinity : LIST_BYTES);
  const has_more = (rows[0]?.candidates ?? rows.length) > page.length;
  return {
    rows: page,
    count: page.length,
    limit,
    has_more,
    next_cursor: has_more ? Number(page.at(-1)!.number) : null,
  };
}

/** One page of a short list from `limit + 1` rows or fewer, for which the cursor is an offset. */
export function offsetPage<T>(rows: readonly T[], limit: number, cursor = 0): Page<T> {
  const page = rows.slice(0, limit);
  const has_more = rows.length > limit;
  return { rows: page, count: page.length, limit, has_more, next_cursor: has_more ? cursor + limit : null };
}
