import { api, must } from '../api.js';
import { Loading, Refusal } from '../parts/notice.js';
import { duration } from '../parts/time.js';
import { useTitle } from '../parts/tab-state.js';
import { amount, costOf, sumOf } from '../parts/usage.js';
import { useResource } from '../resource.js';
import type { UsageRow } from '../types.js';
import { Bars } from './bars.js';

const DAYS = 14;
const DAY_MS = 86_400_000;

/** Runs of the last two weeks by executor and day, with usage. */
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
          <Totals rows={data.executors} />
          <div class="plots">
            {PLOTS.map(({ title, of, words, top }) => (
              <Bars key={title} {...{ title, words, top }} days={data.days.map(([day, row]) => [day, of(row)])} />
            ))}
          </div>
          <h2>By executor</h2>
          <UsageTable rows={data.executors} />
        </>
      )}
    </>
  );
}

/** Share of completed runs among those not stopped. */
const successOf = ({ completed_runs: good, failed_runs: bad }: Pick<UsageRow, 'completed_runs' | 'failed_runs'>) =>
  good + bad > 0 ? (100 * good) / (good + bad) : null;
const percent = (value: number | null) => (value === null ? '–' : `${Math.round(value)} %`);
const time = (ms: number | null) => (ms === null ? '–' : duration(ms));
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

const HEADS = ['Executor', 'Runs', 'Success', 'Median time', 'Median wait', 'Input tokens', 'Output tokens', 'Cost'];

function UsageTable({ rows }: { rows: UsageRow[] }) {
  if (rows.length === 0) return <p class="quiet">No run has ended in the last {DAYS} days.</p>;
  return (
    <div class="wide" role="region" aria-label="Usage by executor" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {HEADS.map((head) => (
              <th scope="col" key={head}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">{row.name ?? row.key}</th>
              <td>{row.runs}</td>
              <td>{percent(successOf(row))}</td>
              <td>{time(row.median_duration_ms)}</td>
              <td>{time(row.median_wait_ms)}</td>
              <td>{amount(row.usage.input_tokens)}</td>
              <td>{amount(row.usage.output_tokens)}</td>
              <td>{costOf(row.usage)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet">– means that nothing was reported.</p>
    </div>
  );
}

async function readDays() {
  const first = Math.floor(Date.now() / DAY_MS) - DAYS + 1;
  const days = Array.from({ length: DAYS }, (_, index) =>
    new Date((first + index) * DAY_MS).toISOString().slice(0, 10),
  );
  const [executors, byDay] = await Promise.all([readUsage('executor', days[0]!), readUsage('day', days[0]!)]);
  const found = new Map(byDay.rows.map((row) => [row.key, row]));
  return { executors: executors.rows, days: days.map((day) => [day, found.get(day) ?? NOTHING] as const) };
}

const readUsage = (group_by: 'executor' | 'day', day: string) =>
  must(api.GET('/api/usage', { params: { query: { group_by, from: `${day}T00:00:00Z` } } }));

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
