import { api, must } from '../api.js';
import { Loading, Refusal } from '../parts/notice.js';
import { duration } from '../parts/time.js';
import { useTitle } from '../parts/tab-state.js';
import { useResource } from '../resource.js';
import type { UsageRow } from '../types.js';
import { Bars } from './bars.js';

const DAYS = 14;
const DAY_MS = 86_400_000;

/** How much was worked in the last two weeks, by whom, and what it took. */
export function ThroughputPage() {
  useTitle('Throughput');
  const { data, error } = useResource('throughput', readDays, ({ type }) => /attempt\.(completed|failed)/.test(type));
  return (
    <>
      <h1>Throughput</h1>
      <Refusal error={error} />
      {!data && !error && <Loading />}
      {data && (
        <>
          <Bars title="Runs a day" unit="runs" days={data.days} />
          <h2>By executor</h2>
          <UsageTable rows={data.rows} />
        </>
      )}
    </>
  );
}

function UsageTable({ rows }: { rows: UsageRow[] }) {
  if (rows.length === 0) return <p class="quiet">No run has ended in the last {DAYS} days.</p>;
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Executor</th>
            <th scope="col">Runs</th>
            <th scope="col">Mean time</th>
            <th scope="col">Input tokens</th>
            <th scope="col">Output tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, runs, duration_ms, usage }) => (
            <tr key={key}>
              <th scope="row">{name ?? key}</th>
              <td>{runs}</td>
              <td>{runs > 0 ? duration(duration_ms / runs) : ''}</td>
              <td>{amount(usage.input_tokens)}</td>
              <td>{amount(usage.output_tokens)}</td>
              <td>{usage.cost_usd === null ? 'not told' : `$${usage.cost_usd.toFixed(2)}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Nothing was told is not nothing was used. */
const amount = (count: number | null) => (count === null ? 'not told' : count.toLocaleString('en'));

async function readDays() {
  const today = new Date();
  today.setHours(0, 0, 0, 0);
  const starts = Array.from({ length: DAYS }, (_, index) => new Date(today.getTime() - (DAYS - 1 - index) * DAY_MS));
  const [all, ...days] = await Promise.all([
    readUsage(starts[0]!),
    ...starts.map((from) => readUsage(from, new Date(from.getTime() + DAY_MS))),
  ]);
  return {
    rows: all.rows,
    days: days.map(({ rows }, index) => ({
      label: starts[index]!.toLocaleDateString('en', { month: 'short', day: 'numeric' }),
      value: rows.reduce((sum, { runs }) => sum + runs, 0),
    })),
  };
}

const readUsage = (from: Date, to?: Date) => {
  const query = { group_by: 'executor' as const, from: from.toISOString(), to: to?.toISOString() };
  return must(api.GET('/api/usage', { params: { query } }));
};
