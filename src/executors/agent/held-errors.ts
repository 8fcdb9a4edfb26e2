import { stripVTControlCharacters } from 'node:util';
import type { NormalizedEntry } from '../log-entry.js';

const MAX_LINES = 100;
const TAIL_CHARS = 4_096;

/** Standard error of an agent: neighbouring lines become one entry of low priority; the last of it explains a crash. */
export class HeldErrors {
  private lines: string[] = [];
  private tail = '';

  add(line: string): NormalizedEntry[] {
    const plain = stripVTControlCharacters(line);
    this.lines.push(plain);
    if (plain.trim() !== '') this.tail = `${this.tail}\n${plain}`.slice(-TAIL_CHARS);
    return this.lines.length >= MAX_LINES ? this.flush() : [];
  }

  flush(): NormalizedEntry[] {
    const content = this.lines.join('\n');
    this.lines = [];
    return content.trim() === ''
      ? []
      : [{ type: 'system_message', content, metadata: { stream: 'stderr', priority: 'low' } }];
  }

  get lastLines(): string {
    return this.tail.trim().split('\n').slice(-5).join('\n');
  }
}
