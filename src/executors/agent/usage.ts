import type { NormalizedEntry } from '../log-entry.js';

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens?: number;
  /** Tokens in the context window, and how many it holds. */
  context_tokens?: number;
  context_window?: number;
  cost_usd?: number;
  /** The cost is that of the whole conversation so far, not of this turn. */
  cost_is_cumulative?: boolean;
}

/** What a turn cost. */
export function usageEntry(usage: Usage): NormalizedEntry {
  const known = Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined));
  return {
    type: 'token_usage',
    content: `${usage.input_tokens} tokens in, ${usage.output_tokens} out`,
    metadata: known,
  };
}

/** What one execution used; null where its agent did not say. */
export interface Spent {
  input_tokens: number | null;
  cached_input_tokens: number | null;
  output_tokens: number | null;
  cost_usd: number | null;
  cost_is_cumulative: boolean;
}

/** Sums the reports of an execution. */
export class UsageMeter {
  private spent: Spent | null = null;

  read(entries: readonly NormalizedEntry[]): void {
    for (const { type, metadata } of entries) if (type === 'token_usage') this.add(metadata as Partial<Usage>);
  }

  /** Null where nothing was reported. */
  get total(): Spent | null {
    return this.spent;
  }

  private add({
    input_tokens,
    cached_input_tokens,
    output_tokens,
    cost_usd,
    cost_is_cumulative,
  }: Partial<Usage>): void {
    const before = this.spent;
    this.spent = {
      input_tokens: sum(before?.input_tokens, input_tokens),
      cached_input_tokens: sum(before?.cached_input_tokens, cached_input_tokens),
      output_tokens: sum(before?.output_tokens, output_tokens),
      cost_usd: cost_is_cumulative ? (cost_usd ?? before?.cost_usd ?? null) : sum(before?.cost_usd, cost_usd),
      cost_is_cumulative: cost_is_cumulative ?? false,
    };
  }
}

const sum = (before: number | null | undefined, more: number | undefined): number | null =>
  more === undefined ? (before ?? null) : (before ?? 0) + more;
