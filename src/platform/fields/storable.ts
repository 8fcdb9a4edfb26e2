/** Text that PostgreSQL and a program argument can hold: NUL and lone surrogates become U+FFFD. */
export const storableText = (text: string): string =>
  (text.isWellFormed() ? text : text.toWellFormed()).replaceAll('\0', '\uFFFD');

/** A number above the cap means the cap. */
export const capped =
  (cap: number) =>
  (value: unknown): unknown =>
    typeof value === 'number' ? Math.min(value, cap) : value;

/** Beyond this a number is no exact count, and no bigint of the database; what is larger means the largest. */
export const countable = (value: number): number =>
  Math.max(-Number.MAX_SAFE_INTEGER, Math.min(value, Number.MAX_SAFE_INTEGER));
