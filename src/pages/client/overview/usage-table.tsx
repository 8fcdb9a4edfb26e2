import { duration } from '../parts/time.js';
import { TableHead } from '../parts/table-head.js';
import { amount, costOf } from '../parts/usage.js';
import type { UsageRow } from '../types.js';

/** Share of completed runs among those not stopped. */
export const successOf = ({
  completed_runs: good,
  failed_runs: bad,
}: Pick<UsageRow, 'completed_runs' | 'failed_runs'>) => (good + bad > 0 ? (100 * good) / (good + bad) : null);
export const percent = (value: number | null) => (value === null ? '–' : `${Math.round(value)} %`);
export const time = (ms: number | null) => (ms === null ? '–' : duration(ms));

const HEADS = ['Runs', 'Success', 'Median time', 'Median wait', 'Input tokens', 'Output tokens', 'Cost'];

/** @param by what a row stands for */
export function UsageTable({ rows, by }: { rows: UsageRow[]; by: string }) {
  return (
    <div class="wide" role="region" aria-label={`Usage by ${by.toLowerCase()}`} tabIndex={0}>
      <table>
        <TableHead heads={[by, ...HEADS]} />
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">{row.name ?? row.key ?? 'none'}</th>
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
