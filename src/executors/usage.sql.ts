/** Sums over executions `e`: what none of them reported is null, not 0. */
export const USAGE_SUMS = `jsonb_build_object(
      'input_tokens', sum(e.input_tokens), 'cached_input_tokens', sum(e.cached_input_tokens),
      'output_tokens', sum(e.output_tokens), 'cost_usd', sum(e.cost_usd)
    )`;
