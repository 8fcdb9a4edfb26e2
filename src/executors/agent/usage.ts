import type { NormalizedEntry } from '../log-entry.js';

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens?: number;
  /** Tokens in the context window, and how many it holds. */
  context_tokens?: number;
  context_window?: number;
  cost_usd?: number;
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
