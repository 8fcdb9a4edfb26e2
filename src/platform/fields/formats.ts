/** One pattern each for Ajv, class-validator and path parameters, so that they cannot disagree. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const TIME_PATTERN =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;

/** Text that PostgreSQL and a program argument can hold: NUL and lone surrogates become U+FFFD. */
export const storableText = (text: string): string =>
  (text.isWellFormed() ? text : text.toWellFormed()).replaceAll('\0', '\uFFFD');

/** A number above the cap means the cap. */
export const capped =
  (cap: number) =>
  (value: unknown): unknown =>
    typeof value === 'number' ? Math.min(value, cap) : value;

/** Clamps to what is an exact integer here and a bigint in the database. */
export const countable = (value: number): number =>
  Math.max(-Number.MAX_SAFE_INTEGER, Math.min(value, Number.MAX_SAFE_INTEGER));

/** The beginning of a text, at most so many bytes of UTF-8, without half a character at its end. */
export const beginningOf = (text: string, maxBytes: number): string =>
  Buffer.from(text)
    .subarray(0, maxBytes)
    .toString('utf8')
    .replace(/\uFFFD$/, '');

/** The end of a text, at most so many bytes of UTF-8: whole lines, or the end of the last one where that is longer. */
export function lastLines(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let start = bytes.length - maxBytes;
  while ((bytes[start]! & 0xc0) === 0x80) start += 1;
  const rest = bytes.toString('utf8', start);
  const isWhole = bytes[start - 1] === LINE_FEED;
  const line = rest.trimEnd().indexOf('\n');
  return isWhole || line < 0 ? rest : rest.slice(line + 1);
}
const LINE_FEED = 10;

/** As a quote: anything that may be read as a line end begins a new quoted line; nothing is left out. */
export const quoted = (text: string): string => `> ${text.replace(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/g, '$&> ')}`;
