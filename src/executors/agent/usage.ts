import type { NormalizedEntry } from '../log-entry.js';

/** Absent means not reported; 0 means 0. */
export interface Usage {
  input_tokens?: number;
  output_tokens?: number;
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
  const { input_tokens, output_tokens } = usage;
  const isCounted = input_tokens !== undefined || output_tokens !== undefined;
  return {
    type: 'token_usage',
    content: isCounted ? `${input_tokens ?? '?'} tokens in, ${output_tokens ?? '?'} out` : 'Tokens were not counted.',
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

/** Sums the reports of an execution, ignoring impossible figures. */
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
      input_tokens: sum(before?.input_tokens, tokensOf(input_tokens)),
      cached_input_tokens: sum(before?.cached_input_tokens, tokensOf(cached_input_tokens)),
      output_tokens: sum(before?.output_tokens, tokensOf(output_tokens)),
      cost_usd: cost_is_cumulative
        ? (costOf(cost_usd) ?? before?.cost_usd ?? null)
        : sum(before?.cost_usd, costOf(cost_usd)),
      cost_is_cumulative: cost_is_cumulative ?? false,
    };
  }
}

const sum = (before: number | null | undefined, more: number | null): number | null =>
  more === null ? (before ?? null) : (before ?? 0) + more;
/** Far beyond any turn, and far from what a bigint cannot hold. */
const MAX_TOKENS = 1e12;
const MAX_COST_USD = 1e9;
const tokensOf = (said: number | undefined): number | null =>
  Number.isInteger(said) && said! >= 0 && said! <= MAX_TOKENS ? said! : null;
const costOf = (said: number | undefined): number | null =>
  said !== undefined && said >= 0 && said <= MAX_COST_USD ? said : null;
