import type { AttemptState } from '../types.js';

const WORDS: Record<AttemptState, string> = {
  idle: 'Idle',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
};

export function StateBadge({ state }: { state: AttemptState }) {
  return <span class={`badge ${state}`}>{WORDS[state]}</span>;
}
