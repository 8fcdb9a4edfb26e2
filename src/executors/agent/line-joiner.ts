import type { OutputLine } from '../../platform/process/process-types.js';

/** Characters of one line that are kept; a tool result of some megabytes is normal. */
const MAX_LINE_CHARS = 32 * 1024 * 1024;

/** Puts the parts of a long line together again. */
export class LineJoiner {
  private parts: string[] = [];
  private length = 0;

  /** The whole line, or null while it goes on. What is beyond the limit is left out. */
  push({ text, continues }: OutputLine): string | null {
    if (this.length < MAX_LINE_CHARS) this.parts.push(text);
    this.length += text.length;
    if (continues) return null;
    const line = this.parts.join('');
    this.parts = [];
    this.length = 0;
    return line;
  }
}
