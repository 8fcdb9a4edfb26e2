import { toast } from '../parts/toast.js';
import { ChecksBadge, DeliveryBadge, StateBadge } from '../parts/badge.js';
import { Icon } from '../parts/icon.js';
import { LiveFacts } from '../parts/live.js';
import { duration, Time } from '../parts/time.js';
import { costOf, tokensOf } from '../parts/usage.js';
import type { AttemptStatus, Execution, Usage } from '../types.js';
import { wordsForFailure } from './failure-words.js';
import { tellingLine } from './telling-line.js';

const RUNS = {
  setupscript: 'Setup script',
  codingagent: 'Agent',
  cleanupscript: 'Cleanup script',
  check: 'Check',
  review: 'Review',
};
/** Runs whose failure is not the attempt's. */
const VERIFYING = new Set<Execution['run_reason']>(['check', 'review']);
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
  const { usage, state, queue_position, workspace_branch } = status;
  const isAtWork = state === 'running' && queue_position === null;
  const worked_ms = runs.reduce((sum, run) => sum + (run.duration_ms ?? 0), 0);
  return (
    <>
      <p class="facts">
        <StateBadge state={status.ended_by === 'stop' ? 'stopped' : state} />
        <DeliveryBadge state={status.delivery_state} />
        <ChecksBadge state={status.checks_state} />
        <Present status={status} />
        {status.latest_session_executor && <span>{status.latest_session_executor}</span>}
        <span class="branch">
          <Icon name="branch" /> <code>{workspace_branch}</code>
          <CopyButton text={workspace_branch} label="Copy the name of the branch" />
        </span>
        <span>
          started <Time at={status.created_at} />
        </span>
        {!isAtWork && worked_ms > 0 && (
          <span class="fact">
            <Icon name="clock" /> {duration(worked_ms)}
          </span>
        )}
        <Used usage={usage} />
      </p>
      {isAtWork && <LiveFacts attempt_id={status.attempt_id} />}
      <End status={status} run={runs.find(({ run_reason }) => !VERIFYING.has(run_reason))} />
    </>
  );
}

const Used = ({ usage }: { usage: Usage | null }) => (
  <>
    {usage && usage.output_tokens !== null && <span>{tokensOf(usage)} tokens</span>}
    {usage && usage.cost_usd !== null && <span>{costOf(usage)}</span>}
  </>
);

/** What it does or waits for at the moment. */
function Present({ status }: { status: AttemptStatus }) {
  const { state, run_reason, queue_position, waiting_reason } = status;
  return (
    <>
      {queue_position !== null && <span class="badge">Queued, place {queue_position}</span>}
      {waiting_reason && <span>{waitsFor(waiting_reason)}</span>}
      {status.approval && <span class="badge asks">Asks for approval</span>}
      {status.is_stopping && <span class="badge asks">Stopping</span>}
      {run_reason && state === 'running' && queue_position === null && <span>{RUNS[run_reason]}</span>}
    </>
  );
}

/** Why the last run is no success: somebody stopped it, or it failed, with the line that tells. */
function End({ status, run }: { status: AttemptStatus; run: Execution | undefined }) {
  const { ended_by, failure_summary, last_output } = status;
  if (ended_by === 'stop')
    return <p class="notice over">It was stopped. What it had done is kept, and a follow-up goes on from there.</p>;
  if (!failure_summary) return null;
  const line = tellingLine(last_output ?? '', failure_summary);
  return (
    <div class="notice bad">
      <p>
        <strong>{wordsForFailure(failure_summary, run?.run_reason)}</strong>
      </p>
      {line && <pre class="failed-line">{line}</pre>}
      {run?.hint && <p class="quiet">{run.hint}</p>}
    </div>
  );
}

/** Puts a text into the clipboard. */
const CopyButton = ({ text, label }: { text: string; label: string }) => (
  <button
    type="button"
    class="plain"
    aria-label={label}
    title={label}
    onClick={() => void navigator.clipboard.writeText(text).then(() => toast('Copied'))}
  >
    <Icon name="copy" />
  </button>
);
