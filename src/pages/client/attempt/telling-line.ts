import { plainText } from './ansi.js';

const TELLS =
  /\b(error|fatal|failed|failure|exception|panic|denied|refused|cannot|can't|not found|no such|undefined)\b/i;

/** The line of an output that says best why it failed: the last that names a failure, else the last of all.
 *  @param said is said beside it already */
export function tellingLine(output: string, said = ''): string {
  const lines = plainText(output)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== said);
  return lines.findLast((line) => TELLS.test(line)) ?? lines.at(-1) ?? '';
}
