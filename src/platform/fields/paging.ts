import { BoolField, IntField } from './fields.js';

const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 500;
/** `wait_ms` above it is capped. */
export const MAX_WAIT_MS = 30_000;

/** `limit` above the cap is capped, never refused. */
export const LimitField = (defaultLimit = DEFAULT_LIMIT, cap = MAX_LIMIT) =>
  IntField(`Maximum number of items to return, at least 1. Default ${defaultLimit}, capped at ${cap}.`, {
    optional: true,
    minimum: 1,
    default: defaultLimit,
  });
export const OlderCursorField = () =>
  IntField('next_cursor of an earlier response, to get the next page. Integer, at least 0.', {
    optional: true,
    minimum: 0,
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

/** One page of `limit + 1` rows, or fewer if a budget cut them (`candidates` is how many there were); `number` of the
 *  last row continues the list. bigint arrives as text. */
export function toPage<T extends { number: string; candidates?: number }>(rows: T[], limit: number): Page<T> {
  const page = rows.slice(0, limit);
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
