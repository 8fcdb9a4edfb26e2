import { api, must } from '../api.js';
import { Loading, Refusal } from '../parts/notice.js';
import { useTitle } from '../parts/tab-state.js';
import { amount, costOf, sumOf } from '../parts/usage.js';
import { useResource } from '../resource.js';
import type { UsageRow } from '../types.js';
import { Bars } from './bars.js';
import { UsageBy } from './usage-by.js';
import { percent, successOf, time } from './usage-table.js';

const DAYS = 14;
const GROUPS = ['executor', 'project', 'worker', 'day'] as const;
const DAY_MS = 86_400_000;

/** Runs of the last two weeks by day, and what was used. */
export function ThroughputPage() {
  useTitle('Throughput');
  const { data, error } = useResource('throughput', readDays, ({ type }) => /attempt\.(completed|failed)/.test(type));
  return (
    <>
      <h1>Throughput</h1>
      <p class="quiet">Runs of agents that ended in the last {DAYS} days, by day in UTC.</p>
      <Refusal error={error} />
      {!data && !error && <Loading />}
      {data && (
        <>
          <Totals rows={data.map(([, row]) => row)} />
          <div class="plots">
            {PLOTS.map(({ title, of, words, top }) => (
              <Bars key={title} {...{ title, words, top }} days={data.map(([day, row]) => [day, of(row)])} />
            ))}
          </div>
          <h2>Usage</h2>
          <UsageBy groups={GROUPS} />
        </>
      )}
    </>
  );
}

const tokens = ({ usage: { input_tokens, output_tokens } }: UsageRow) =>
  input_tokens === null && output_tokens === null ? null : (input_tokens ?? 0) + (output_tokens ?? 0);

interface Plot {
  title: string;
  of: (row: UsageRow) => number | null;
  words: (value: number) => string;
  top?: number;
}
const PLOTS: Plot[] = [
  { title: 'Runs', of: ({ runs }) => runs, words: String },
  { title: 'Success rate', of: successOf, words: percent, top: 100 },
  { title: 'Median time', of: (row) => row.median_duration_ms, words: time },
  { title: 'Median wait', of: (row) => row.median_wait_ms, words: time },
  { title: 'Tokens', of: tokens, words: amount },
  { title: 'Cost', of: ({ usage }) => usage.cost_usd, words: (cost_usd) => `$${cost_usd.toFixed(2)}` },
];

function Totals({ rows }: { rows: UsageRow[] }) {
  const count = (field: 'runs' | 'completed_runs' | 'failed_runs') => rows.reduce((sum, row) => sum + row[field], 0);
  const usage = sumOf(rows.map((row) => row.usage));
  const all = { completed_runs: count('completed_runs'), failed_runs: count('failed_runs') };
  const facts = [
    ['Runs', String(count('runs'))],
    ['Success rate', percent(successOf(all))],
    ['Input tokens', amount(usage.input_tokens)],
    ['Output tokens', amount(usage.output_tokens)],
    ['Cost', costOf(usage)],
  ];
  return (
    <dl class="totals">
      {facts.map(([name, value]) => (
        <div class="card" key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

async function readDays() {
  const first = Math.floor(Date.now() / DAY_MS) - DAYS + 1;
  const days = Array.from({ length: DAYS }, (_, index) =>
    new Date((first + index) * DAY_MS).toISOString().slice(0, 10),
  );
  const query = { group_by: 'day' as const, from: days[0]! };
  const { rows } = await must(api.GET('/api/usage', { params: { query } }));
  const found = new Map(rows.map((row) => [row.key, row]));
  return days.map((day) => [day, found.get(day) ?? NOTHING] as const);
}

const NOTHING: UsageRow = {
  key: null,
  name: null,
  runs: 0,
  reported_runs: 0,
  completed_runs: 0,
  failed_runs: 0,
  duration_ms: 0,
  median_duration_ms: null,
  median_wait_ms: null,
  usage: { input_tokens: null, cached_input_tokens: null, output_tokens: null, cost_usd: null },
};
