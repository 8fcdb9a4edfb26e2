import { plainText } from './ansi.js';

/** What somebody wrote to say what is wrong: `AssertionError: expected 3 to be 4`, `error TS1005: ';' expected`. */
const SAYS_WHAT = /\b\w*(error|exception|fatal|assert\w*|panic\w*)\b[^:]*:\s*\S|\bassert\b|\bpanicked at\b/i;
const TELLS =
  /\b(error|fatal|failed|failure|exception|panic|denied|refused|cannot|can't|not found|no such|undefined)\b/i;
/** How many failed, and that a program has failed for it, say nothing of why. */
const SUMS_UP = new RegExp(
  [
    String.raw`\b\d+ (\w+ )?(failed|failing|failures?|errors?|problems?)\b`,
    String.raw`\bfail\w*[ =:]+\d+\b`,
    String.raw`\btests? failed\b`,
    String.raw`\bexit(ed)?( with)? (code|status)\b`,
    String.raw`^make: \*\*\*|^npm (err!|error)`,
  ].join('|'),
  'i',
);

/** The line of an output that says best why it failed: the last that says what is wrong, else the last that names a
 *  failure, rather than one that sums up, else the last of all.
 *  @param said is said beside it already */
export function tellingLine(output: string, said = ''): string {
  const lines = plainText(output)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== said);
  const reasons = lines.filter((line) => !SUMS_UP.test(line));
  const last = (of: readonly string[], sign: RegExp) => of.findLast((line) => sign.test(line));
  return last(reasons, SAYS_WHAT) ?? last(reasons, TELLS) ?? last(lines, TELLS) ?? lines.at(-1) ?? '';
}
