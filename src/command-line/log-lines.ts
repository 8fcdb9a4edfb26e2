import type { LogEntry } from '../client/index.js';
import { print, printJson, styled } from './output.js';

const MARKS: Readonly<Record<string, string>> = { tool_use: '●', tool_result: '└', error_message: '✗', stderr: '!' };
const QUIET = new Set(['thinking', 'tool_result', 'plan', 'system_message']);
/** Figures, which a reader of a log does not follow. */
const LEFT_OUT = new Set(['token_usage']);

/** Prints entries of a log as lines to read, or as objects. */
export class LogLines {
  private isOpen = false;

  /** @param last index of the newest entry that was shown, here or before */
  constructor(
    private readonly isJson: boolean,
    public last = -1,
  ) {}

  show(entry: LogEntry): void {
    this.last = entry.entry_index;
    if (this.isJson) return printJson(entry);
    const { type, content, continues, tool_name } = entry.entry;
    if (LEFT_OUT.has(type)) return;
    if (this.isOpen && !continues) print('');
    const mark = continues ? '' : [MARKS[type], tool_name].filter(Boolean).join(' ');
    const text = mark === '' ? content : `${mark} ${content}`;
    print(QUIET.has(type) ? styled('dim', text) : text, '');
    this.isOpen = true;
  }

  /** Ends the last line. */
  close(): void {
    if (this.isOpen) print('');
    this.isOpen = false;
  }
}
