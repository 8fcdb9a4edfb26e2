import { useState } from 'preact/hooks';
import { api, must } from '../api.js';
import { Choice } from '../parts/fields.js';
import { Loading, Refusal } from '../parts/notice.js';
import { TableHead } from '../parts/table-head.js';
import { duration } from '../parts/time.js';
import { useResource } from '../resource.js';

const PERIODS = [
  ['1', 'Last day'],
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
] as const;
type Period = (typeof PERIODS)[number][0];
const HEADS = ['Tool', 'Calls', 'Refused', 'Why', 'Median time'];

/** What agents and programs have called over MCP, and what they were refused. */
export function ToolCalls() {
  const [days, setDays] = useState<Period>('30');
  const query = { days: Number(days) };
  const { data, error } = useResource(`calls:${days}`, () =>
    must(api.GET('/api/tool-invocations/summary', { params: { query } })),
  );
  return (
    <>
      <div class="bar start">
        <Choice label="Period" value={days} options={PERIODS} set={setDays} />
      </div>
      <Refusal error={error} />
      {!data && !error && <Loading />}
      {data?.tools.length === 0 && <p class="empty">No tool was called in this time.</p>}
      {data && data.tools.length > 0 && (
        <div class="wide" role="region" aria-label="Calls by tool" tabIndex={0}>
          <table>
            <TableHead heads={HEADS} />
            <tbody>
              {data.tools.map(({ toolset, tool, calls, refusals, codes, median_ms }) => (
                <tr key={`${toolset} ${tool}`}>
                  <th scope="row">
                    {tool} <span class="quiet">{toolset}</span>
                  </th>
                  <td>{calls}</td>
                  <td>{refusals}</td>
                  <td class="quiet">{wordsFor(codes)}</td>
                  <td>{duration(median_ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

const wordsFor = (codes: Record<string, unknown>): string =>
  Object.entries(codes)
    .map(([code, count]) => `${code.replaceAll('_', ' ')} ${String(count)}`)
    .join(', ');
