import { IntField, NumberField, ObjectField } from '../platform/fields/fields.js';

/** What agents report; nothing is estimated. */
export class UsageOutput {
  @IntField('Input tokens, or null if no agent reported any. Integer.', { nullable: true, example: 12000 })
  input_tokens!: number | null;
  @IntField('Input tokens read from a cache, or null. Integer.', { nullable: true, example: 9000 })
  cached_input_tokens!: number | null;
  @IntField('Output tokens, or null. Integer.', { nullable: true, example: 800 }) output_tokens!: number | null;
  @NumberField('Cost in US dollars, as the agent estimates it, or null.', { nullable: true, example: 0.12 })
  cost_usd!: number | null;
}

/** Of one record: what nobody reported is one null. */
export const UsageField = (description: string) =>
  ObjectField(`${description} Null if none said anything.`, () => UsageOutput, { nullable: true });

export const NO_USAGE: UsageOutput = {
  input_tokens: null,
  cached_input_tokens: null,
  output_tokens: null,
  cost_usd: null,
};

/** Sums arrive as text if they are bigint, as numbers in JSON. */
export interface UsageRow {
  input_tokens: string | number | null;
  cached_input_tokens: string | number | null;
  output_tokens: string | number | null;
  cost_usd: number | null;
}

export const toUsageOutput = (row: UsageRow): UsageOutput => ({
  input_tokens: numberOf(row.input_tokens),
  cached_input_tokens: numberOf(row.cached_input_tokens),
  output_tokens: numberOf(row.output_tokens),
  cost_usd: row.cost_usd,
});

/** Null where nothing was reported. */
export const reportedUsage = (row: UsageRow): UsageOutput | null =>
  [row.input_tokens, row.cached_input_tokens, row.output_tokens, row.cost_usd].some((value) => value !== null)
    ? toUsageOutput(row)
    : null;

const numberOf = (value: string | number | null): number | null => (value === null ? null : Number(value));

/** Sums over executions `e`: what none of them reported is null, not 0. */
export const USAGE_SUMS = `jsonb_build_object(
      'input_tokens', sum(e.input_tokens), 'cached_input_tokens', sum(e.cached_input_tokens),
      'output_tokens', sum(e.output_tokens), 'cost_usd', sum(e.cost_usd)
    )`;

/** The executions `e` that reported any; those of one task are found by an index. */
export const REPORTED_USAGE = `e.run_reason IN ('codingagent', 'review')
        AND coalesce(e.input_tokens, e.cached_input_tokens, e.output_tokens, e.cost_usd) IS NOT NULL`;
