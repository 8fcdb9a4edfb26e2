/** Sums over executions `e`: what none of them reported is null, not 0. */
export const USAGE_SUMS = `jsonb_build_object(
      'input_tokens', sum(e.input_tokens), 'cached_input_tokens', sum(e.cached_input_tokens),
      'output_tokens', sum(e.output_tokens), 'cost_usd', sum(e.cost_usd)
    )`;

/** The executions `e` that reported any; those of one task are found by an index. */
export const REPORTED_USAGE = `e.run_reason = 'codingagent'
        AND coalesce(e.input_tokens, e.cached_input_tokens, e.output_tokens, e.cost_usd) IS NOT NULL`;
