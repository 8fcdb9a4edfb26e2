import type { Usage } from '../types.js';

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** Not reported, which is not the same as nothing used. */
const UNTOLD = '–';

export const amount = (count: number | null): string => (count === null ? UNTOLD : short.format(count));

/** "12.4K / 1.1K" tokens, in and out. */
export function tokensOf(usage: Usage | null): string {
  const { input_tokens = null, output_tokens = null } = usage ?? {};
  return input_tokens === null && output_tokens === null
    ? UNTOLD
    : `${amount(input_tokens)} / ${amount(output_tokens)}`;
}

export function costOf(usage: Usage | null): string {
  const cost_usd = usage?.cost_usd ?? null;
  return cost_usd === null ? UNTOLD : `$${cost_usd.toFixed(2)}`;
}

/** The sum; null if nothing was reported. */
export function sumOf(usages: readonly Usage[]): Usage {
  const sum = (field: keyof Usage) => {
    const told = usages.map((usage) => usage[field]).filter((value) => value !== null);
    return told.length ? told.reduce((all, value) => all + value, 0) : null;
  };
  return {
    input_tokens: sum('input_tokens'),
    cached_input_tokens: sum('cached_input_tokens'),
    output_tokens: sum('output_tokens'),
    cost_usd: sum('cost_usd'),
  };
}
