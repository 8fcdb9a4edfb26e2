import type { AttemptState, AttemptStatus, Check, ChecksState } from '../types.js';
import { Icon, type IconName } from './icon.js';

type Shown = AttemptState | 'stopped';
const LOOKS: Record<Shown, [words: string, icon: IconName]> = {
  idle: ['Idle', 'clock'],
  running: ['Running', 'running'],
  completed: ['Completed', 'check'],
  failed: ['Failed', 'failed'],
  stopped: ['Stopped', 'stopped'],
};

/** What a person has stopped has not failed. */
export const shownState = (state: AttemptState, ended_by: 'stop' | null): Shown =>
  state === 'failed' && ended_by === 'stop' ? 'stopped' : state;

export function StateBadge({ state }: { state: Shown }) {
  const [words, icon] = LOOKS[state];
  return (
    <span class={`badge ${state}`}>
      <Icon name={icon} />
      <span>{words}</span>
    </span>
  );
}

const CHECKS: Record<Check['state'], IconName> = {
  pending: 'clock',
  running: 'running',
  passed: 'check',
  failed: 'failed',
  errored: 'alert',
  skipped: 'stopped',
  stale: 'clock',
};

/** How one check stands. */
export const CheckBadge = ({ state, of = '' }: { state: Check['state']; of?: string }) => (
  <span class={`badge ${state}`}>
    <Icon name={CHECKS[state]} />
    <span>
      {of}
      {state}
    </span>
  </span>
);

/** How those of an attempt stand together; nothing where it has none. */
export const ChecksBadge = ({ state }: { state: ChecksState | undefined }) =>
  state ? <CheckBadge state={state} of="checks " /> : null;

/** That it is merged, or what keeps it from that; nothing where the state of the run says all. */
export function DeliveryBadge({ state }: { state: AttemptStatus['delivery_state'] }) {
  if (state === 'conflicted') return <span class="badge conflicted">conflict</span>;
  if (state !== 'merged' && state !== 'pr_merged') return null;
  return (
    <span class="badge delivered">
      <Icon name="merged" /> merged
    </span>
  );
}
