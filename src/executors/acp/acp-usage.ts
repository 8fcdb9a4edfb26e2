import { numberOf, objectOf, textOf, type Json } from '../agent/json.js';
import { usageEntry, type Usage } from '../agent/usage.js';
import type { NormalizedEntry } from '../log-entry.js';

/** Tokens of a turn: reported with the answer to the prompt, in its metadata, or in pieces before. */
export class AcpUsage {
  private input: number | null = null;
  private output: number | null = null;
  private cached: number | null = null;
  private context: Pick<Usage, 'context_tokens' | 'context_window' | 'cost_usd' | 'cost_is_cumulative'> = {};

  /** `usage_update`: how full the context is. */
  update(update: Json): void {
    const cost = objectOf(update.cost);
    const amount = textOf(cost.currency) === 'USD' ? numberOf(cost.amount) : null;
    this.context = {
      context_tokens: numberOf(update.used) ?? undefined,
      context_window: numberOf(update.size) ?? undefined,
      ...(amount === null ? this.cost : { cost_usd: amount, cost_is_cumulative: true }),
    };
  }

  private get cost(): Pick<Usage, 'cost_usd' | 'cost_is_cumulative'> {
    const { cost_usd, cost_is_cumulative } = this.context;
    return { cost_usd, cost_is_cumulative };
  }

  /** Some agents hang the tokens of each model call on a piece of text. */
  piece(update: Json): void {
    const usage = objectOf(objectOf(update._meta).usage);
    this.input = more(this.input, numberOf(usage.inputTokens));
    this.output = more(this.output, numberOf(usage.outputTokens));
    this.cached = more(this.cached, numberOf(usage.cachedReadTokens));
  }

  /** The answer to the prompt replaces what was counted. */
  ended(result: Json): NormalizedEntry[] {
    const usage = objectOf(result.usage);
    const quota = objectOf(objectOf(objectOf(result._meta).quota).token_count);
    this.input = numberOf(usage.inputTokens) ?? numberOf(quota.input_tokens) ?? this.input;
    this.output = numberOf(usage.outputTokens) ?? numberOf(quota.output_tokens) ?? this.output;
    this.cached = numberOf(usage.cachedReadTokens) ?? this.cached;
    return this.entries();
  }

  private entries(): NormalizedEntry[] {
    const isCounted = (this.input ?? 0) + (this.output ?? 0) > 0;
    if (!isCounted && this.context.context_tokens === undefined) return [];
    return [
      usageEntry({
        input_tokens: this.input ?? undefined,
        output_tokens: this.output ?? undefined,
        cached_input_tokens: this.cached ?? undefined,
        ...this.context,
      }),
    ];
  }

  /** No model is known to have said anything. */
  get isNone(): boolean {
    return (this.output ?? 0) === 0;
  }
}

const more = (before: number | null, said: number | null): number | null =>
  said === null ? before : (before ?? 0) + said;
