import type { LogEntry } from '../types.js';

/** A tool call with its result, if any; or any other entry. */
export interface Item extends Pick<LogEntry['entry'], 'type' | 'content' | 'tool_name' | 'metadata'> {
  index: number;
  /** When it was said (RFC 3339). */
  at: string;
  result?: string;
  /** From call to result, in milliseconds. */
  took_ms?: number;
  hasFailed?: boolean;
}

/** Log entries as people read them: parts of a text joined, results beside their calls. */
export class Conversation {
  readonly items: Item[] = [];
  private readonly calls = new Map<string, Item>();

  append(entries: readonly LogEntry[]): void {
    for (const one of entries) {
      const { entry } = one;
      const last = entry.continues ? this.items.findLast(({ type }) => type === entry.type) : undefined;
      const call = entry.type === 'tool_result' && entry.tool_call ? this.calls.get(entry.tool_call) : undefined;
      if (call) settle(call, one);
      else if (last) last.content += entry.content;
      else this.add(one);
    }
  }

  /** What the agent said last in its latest turn, if that is all it had to say. */
  answer(): Item | undefined {
    const last = this.items.findLast(({ type }) => type === 'assistant_message' || type === 'user_message');
    return last?.type === 'assistant_message' ? last : undefined;
  }

  private add({ entry_index: index, created_at: at, entry }: LogEntry): void {
    const { type, content, tool_name, tool_call, metadata } = entry;
    const item: Item = { index, at, type, content, tool_name, metadata };
    this.items.push(item);
    if (type === 'tool_use' && tool_call) this.calls.set(tool_call, item);
  }
}

function settle(call: Item, { entry, created_at }: LogEntry): void {
  const { status, exit_code } = (entry.metadata ?? {}) as { status?: string; exit_code?: number };
  call.result = (call.result ?? '') + entry.content;
  call.took_ms = Date.parse(created_at) - Date.parse(call.at);
  call.hasFailed = status === 'failed' || (exit_code ?? 0) !== 0;
}
