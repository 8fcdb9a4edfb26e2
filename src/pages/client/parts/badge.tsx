import type { AttemptState } from '../types.js';
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
