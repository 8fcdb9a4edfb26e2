import type { LogEntry } from '../types.js';

/** A tool call with its result, if any; or any other entry. */
export interface Item {
  index: number;
  type: LogEntry['entry']['type'];
  content: string;
  tool_name?: string;
  result?: string;
  error_kind?: string;
}

/** Log entries as people read them: parts of a text joined, results beside their calls. */
export class Conversation {
  readonly items: Item[] = [];
  private readonly calls = new Map<string, Item>();

  append(entries: readonly LogEntry[]): void {
    for (const { entry_index, entry } of entries) {
      const last = entry.continues ? this.items.findLast(({ type }) => type === entry.type) : undefined;
      const call = entry.type === 'tool_result' && entry.tool_call ? this.calls.get(entry.tool_call) : undefined;
      if (call) call.result = (call.result ?? '') + entry.content;
      else if (last) last.content += entry.content;
      else this.add(entry_index, entry);
    }
  }

  private add(index: number, { type, content, tool_name, tool_call, error_kind }: LogEntry['entry']): void {
    const item: Item = { index, type, content, tool_name, error_kind };
    this.items.push(item);
    if (type === 'tool_use' && tool_call) this.calls.set(tool_call, item);
  }
}
