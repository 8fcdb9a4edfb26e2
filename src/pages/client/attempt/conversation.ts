import type { LogEntry } from '../types.js';

/** A tool call with its result, once it has one; any other entry by itself. */
export interface Item {
  index: number;
  type: LogEntry['entry']['type'];
  content: string;
  tool_name?: string;
  result?: string;
  error_kind?: string;
}

/** Entries of a log as people read them: parts of one text joined, and each result beside its call. */
export class Conversation {
  readonly items: Item[] = [];
  private readonly calls = new Map<string, Item>();
  private continues = false;

  append(entries: readonly LogEntry[]): void {
    for (const { entry_index, entry } of entries) {
      const last = this.items.at(-1);
      const call = entry.type === 'tool_result' && entry.tool_call ? this.calls.get(entry.tool_call) : undefined;
      if (call) call.result = (call.result ?? '') + entry.content;
      else if (this.continues && last) last.content += entry.content;
      else this.add(entry_index, entry);
      this.continues = entry.continues === true && !call;
    }
  }

  private add(index: number, { type, content, tool_name, tool_call, error_kind }: LogEntry['entry']): void {
    const item: Item = { index, type, content, tool_name, error_kind };
    this.items.push(item);
    if (type === 'tool_use' && tool_call) this.calls.set(tool_call, item);
  }
}
