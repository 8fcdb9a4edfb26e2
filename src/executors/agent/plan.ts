import type { LogEntry, NormalizedEntry } from '../log-entry.js';

export interface PlanItem {
  content: string;
  status: string;
}

const MOST_ITEMS = 50;
const MOST_CHARS = 200;

const marks: Record<string, string> = { completed: '[x]', in_progress: '[~]' };

/** The plan as it stands now; a later one replaces it. */
export function planEntry(items: readonly PlanItem[]): NormalizedEntry {
  const steps = items.map(({ content, status }) => ({ content, status: inSnakeCase(status) }));
  return {
    type: 'plan',
    content: steps.map(({ content, status }) => `${marks[status] ?? '[ ]'} ${content}`).join('\n'),
    metadata: { steps },
  };
}

const inSnakeCase = (status: string): string => (status === 'inProgress' ? 'in_progress' : status);

/** The steps of the newest plan among the entries, no more than an overview holds; null where there is none. */
export function lastPlan(entries: readonly LogEntry[]): PlanItem[] | null {
  const isPlan = (entry: LogEntry): entry is NormalizedEntry => entry.type === 'plan' && 'metadata' in entry;
  const steps = entries.findLast(isPlan)?.metadata?.steps as PlanItem[] | undefined;
  if (!steps) return null;
  return steps.slice(0, MOST_ITEMS).map(({ content, status }) => ({ content: content.slice(0, MOST_CHARS), status }));
}
