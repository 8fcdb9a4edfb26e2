import { api, must } from '../api.js';
import { TableHead } from '../parts/table-head.js';
import { duration, Time } from '../parts/time.js';
import { costOf, tokensOf } from '../parts/usage.js';
import { useResource } from '../resource.js';
import type { Execution } from '../types.js';
import { concernsAttempt } from '../feed.js';
import { wordsForFailure } from './failure-words.js';
import { LogDownload } from './log-download.js';

const NEWEST = 50;
const HEADS = ['Run', 'State', 'Time', 'Tokens in / out', 'Cost', 'Log'];
const REASONS: Record<Execution['run_reason'], string> = {
  setupscript: 'Setup script',
  codingagent: 'Agent',
  cleanupscript: 'Cleanup script',
  check: 'Check',
  review: 'Review',
  devserver: 'Development server',
};

/** The processes of an attempt, newest first. */
export function useRuns(attempt_id: string): Execution[] {
  const params = { path: { attempt_id }, query: { limit: NEWEST } };
  const { data } = useResource(
    `executions:${attempt_id}`,
    () => must(api.GET('/api/attempts/{attempt_id}/executions', { params })),
    concernsAttempt(attempt_id),
  );
  return data?.executions ?? [];
}

/** Duration, usage and end of each process. */
export function Runs({ runs }: { runs: Execution[] }) {
  return (
    <details>
      <summary>
        {runs.length} {runs.length === 1 ? 'run' : 'runs'}
      </summary>
      <div class="wide" role="region" aria-label="Runs" tabIndex={0}>
        <table>
          <TableHead heads={HEADS} />
          <tbody>
            {runs.map((run) => (
              <Run key={run.execution_process_id} run={run} />
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Run({ run }: { run: Execution }) {
  const { execution_process_id, run_reason, executor, variant, status, duration_ms, usage } = run;
  return (
    <tr>
      <th scope="row">
        {REASONS[run_reason]}
        {run_reason === 'codingagent' && ` ${executor}`}
        {variant && ` · ${variant}`}
      </th>
      <td>
        {status === 'killed' ? 'stopped' : status}
        {status === 'failed' && run.failure_summary && (
          <span class="quiet"> {wordsForFailure(run.failure_summary, run_reason)}</span>
        )}
      </td>
      <td>
        {duration_ms !== null && duration(duration_ms)} <Time at={run.created_at} />
      </td>
      <td>{tokensOf(usage)}</td>
      <td>{costOf(usage)}</td>
      <td>
        <LogDownload
          id={execution_process_id}
          name="log.txt"
          label={`Download log.txt of ${REASONS[run_reason]} ${execution_process_id}`}
        />
      </td>
    </tr>
  );
}
