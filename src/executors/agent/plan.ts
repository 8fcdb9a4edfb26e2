import type { NormalizedEntry } from '../log-entry.js';

export interface PlanItem {
  content: string;
  status: string;
}

const marks: Record<string, string> = { completed: '[x]', in_progress: '[~]', inProgress: '[~]' };

/** The plan as it stands now; a later one replaces it. */
export function planEntry(items: readonly PlanItem[]): NormalizedEntry {
  return {
    type: 'plan',
    content: items.map(({ content, status }) => `${marks[status] ?? '[ ]'} ${content}`).join('\n'),
    metadata: { steps: items },
  };
}
