import type { TaskStatus } from '../types.js';

export const COLUMNS: readonly [TaskStatus, string][] = [
  ['todo', 'To do'],
  ['inprogress', 'In progress'],
  ['inreview', 'In review'],
  ['done', 'Done'],
  ['cancelled', 'Cancelled'],
];

export const nameOf = (status: TaskStatus): string => COLUMNS.find(([key]) => key === status)![1];

/** The new cards in the order already shown, unseen ones first, so that nothing moves away under a pointer. */
export function inShownOrder<C extends { task_id: string }>(cards: readonly C[], shown: readonly string[]): C[] {
  const place = new Map(shown.map((task_id, index) => [task_id, index]));
  return [...cards].sort((a, b) => (place.get(a.task_id) ?? -1) - (place.get(b.task_id) ?? -1));
}
