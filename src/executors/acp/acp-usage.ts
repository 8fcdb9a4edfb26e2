import { numberOf, objectOf, textOf, type Json } from '../agent/json.js';
import { usageEntry, type Usage } from '../agent/usage.js';
import type { NormalizedEntry } from '../log-entry.js';

/** Tokens of a turn: reported with the answer to the prompt, in its metadata, or in pieces before. */
export class AcpUsage {
  private input = 0;
  private output = 0;
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
    this.input += numberOf(usage.inputTokens) ?? 0;
    this.output += numberOf(usage.outputTokens) ?? 0;
  }

  /** The answer to the prompt replaces what was counted. */
  ended(result: Json): NormalizedEntry[] {
    const usage = objectOf(result.usage);
    const quota = objectOf(objectOf(objectOf(result._meta).quota).token_count);
    this.input = numberOf(usage.inputTokens) ?? numberOf(quota.input_tokens) ?? this.input;
    this.output = numberOf(usage.outputTokens) ?? numberOf(quota.output_tokens) ?? this.output;
    if (this.input + this.output === 0 && this.context.context_tokens === undefined) return [];
    return [
      usageEntry({
        input_tokens: this.input,
        output_tokens: this.output,
        cached_input_tokens: numberOf(usage.cachedReadTokens) ?? undefined,
        ...this.context,
      }),
    ];
  }

  /** No model is known to have said anything. */
  get isNone(): boolean {
    return this.output === 0;
  }
}
