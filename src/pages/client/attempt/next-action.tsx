import { useDelivery } from '../delivery/delivery.js';
import { type AttemptPart, to } from '../routes.js';
import type { AttemptStatus } from '../types.js';

interface Next {
  words: string;
  part: AttemptPart;
}

const RESOLVE: Next = { words: 'Resolve the conflict', part: 'delivery' };
const REVIEW: Next = { words: 'Review changes', part: 'changes' };
const DELIVERY: Next = { words: 'See the delivery', part: 'delivery' };
const LOG: Next = { words: 'Read the log', part: 'log' };

const BY_DELIVERY: Record<AttemptStatus['delivery_state'], Next | null> = {
  none: null,
  running: null,
  failed: LOG,
  ready: REVIEW,
  conflicted: RESOLVE,
  updating: RESOLVE,
  pushed: DELIVERY,
  pr_open: DELIVERY,
  pr_queued: DELIVERY,
  pr_closed: DELIVERY,
  partly_delivered: DELIVERY,
  pr_merged: null,
  merged: null,
};

/** The one thing to do next with an attempt, or null where nothing waits for a person. */
function nextOf({ state, delivery_state, ended_by }: AttemptStatus): Next | null {
  if (state === 'running' || state === 'idle') return null;
  const next = BY_DELIVERY[delivery_state];
  if (state === 'completed' || (next && next !== LOG)) return next;
  return ended_by === 'stop' ? REVIEW : LOG;
}

interface NextProps {
  status: AttemptStatus;
  project_id: string;
  /** What is shown now; who reviews the changes is led on to deliver them. */
  shown: AttemptPart;
}

const OFFERED = new Set<AttemptStatus['delivery_state']>(['ready', 'failed', 'conflicted']);

export const NextAction = (props: NextProps) =>
  OFFERED.has(props.status.delivery_state) ? <TriedAction {...props} /> : <Action {...props} />;

/** The target may have moved since anybody looked at the work. */
function TriedAction({ status, ...props }: NextProps) {
  const { data } = useDelivery(status.attempt_id);
  return <Action {...props} status={data ? { ...status, delivery_state: data.state } : status} />;
}

function Action({ status, project_id, shown }: NextProps) {
  const next = nextOf(status);
  if (!next || shown === 'delivery') return null;
  const { words, part } =
    shown === 'changes' && next.part === 'changes' ? { words: 'Deliver the work', part: 'delivery' as const } : next;
  if (part === shown) return null;
  return (
    <a class="button primary" href={to.part(project_id, status.attempt_id, part)}>
      {words}
    </a>
  );
}
