import { StateBadge } from '../parts/badge.js';
import { Time } from '../parts/time.js';
import { costOf, tokensOf } from '../parts/usage.js';
import type { AttemptStatus, Execution } from '../types.js';
import { Runs } from './runs.js';

const RUNS = { setupscript: 'Setup script', codingagent: 'Agent', cleanupscript: 'Cleanup script' };
type WaitingReason = NonNullable<AttemptStatus['waiting_reason']>;
const WAITS_FOR: Record<Exclude<WaitingReason['code'], 'no_runner_with_label'>, string> = {
  no_runner: 'no runner has its executor',
  no_place: 'all places are taken',
  project_cap: 'the project runs as many as it may',
  executor_cap: 'the executor runs as many as it may',
  home_draining: 'its runner is being drained',
};

const waitsFor = ({ code, label }: WaitingReason): string =>
  code === 'no_runner_with_label' ? `no runner has ${label}` : WAITS_FOR[code];

interface StandingProps {
  status: AttemptStatus;
  runs: Execution[];
}

/** State of the attempt: what it waits for, what it used, why it failed. */
export function Standing({ status, runs }: StandingProps) {
  const { usage } = status;
  return (
    <>
      <p class="facts">
        <StateBadge state={status.state} />
        <Present status={status} />
        {status.latest_session_executor && <span>{status.latest_session_executor}</span>}
        <code>{status.workspace_branch}</code>
        <span>
          started <Time at={status.created_at} />
        </span>
        {usage && usage.output_tokens !== null && <span>{tokensOf(usage)} tokens</span>}
        {usage && usage.cost_usd !== null && <span>{costOf(usage)}</span>}
      </p>
      {runs.length > 0 && <Runs runs={runs} />}
      {status.failure_summary && <Failure summary={status.failure_summary} hint={runs[0]?.hint ?? null} />}
    </>
  );
}

/** What it does or waits for at the moment. */
function Present({ status }: { status: AttemptStatus }) {
  const { state, run_reason, queue_position, waiting_reason } = status;
  return (
    <>
      {queue_position !== null && <span class="badge">Queued, place {queue_position}</span>}
      {waiting_reason && <span>{waitsFor(waiting_reason)}</span>}
      {status.approval && <span class="badge asks">Asks for approval</span>}
      {status.is_stopping && <span class="badge failed">Stopping</span>}
      {run_reason && state === 'running' && queue_position === null && <span>{RUNS[run_reason]}</span>}
    </>
  );
}

const Failure = ({ summary, hint }: { summary: string; hint: string | null }) => (
  <div class="notice bad">
    <p>
      <strong>The run failed.</strong> {summary}
    </p>
    {hint && <p class="quiet">{hint}</p>}
  </div>
);
