import { numberOf, objectOf, type Json } from '../agent/json.js';
import { usageEntry } from '../agent/usage.js';
import type { NormalizedEntry } from '../log-entry.js';

/** Codex counts for the whole thread: what this turn cost is the difference to the count before it. */
export class CodexUsage {
  private before: Json = {};
  private total: Json = {};
  private last: Json = {};

  updated(params: Json): void {
    const usage = objectOf(params.tokenUsage);
    [this.total, this.last] = [objectOf(usage.total), { ...objectOf(usage.last), window: usage.modelContextWindow }];
  }

  turnStarted(): void {
    this.before = this.total;
  }

  entries(): NormalizedEntry[] {
    const spent = (name: string): number => (numberOf(this.total[name]) ?? 0) - (numberOf(this.before[name]) ?? 0);
    if (spent('inputTokens') + spent('outputTokens') <= 0) return [];
    return [
      usageEntry({
        input_tokens: spent('inputTokens'),
        output_tokens: spent('outputTokens'),
        cached_input_tokens: spent('cachedInputTokens'),
        context_tokens: numberOf(this.last.totalTokens) ?? undefined,
        context_window: numberOf(this.last.window) ?? undefined,
      }),
    ];
  }
}
