import type { Board, TaskStatus } from '../types.js';

export const COLUMNS: readonly [TaskStatus, string][] = [
  ['todo', 'To do'],
  ['inprogress', 'In progress'],
  ['inreview', 'In review'],
  ['done', 'Done'],
  ['cancelled', 'Cancelled'],
];

export const nameOf = (status: TaskStatus): string => COLUMNS.find(([key]) => key === status)![1];

/** Where more match than are counted, at least so many. */
export const countOf = ({ count, has_more_matches }: Board['columns'][number]): string =>
  has_more_matches ? `${count - 1}+` : String(count);

/** The cards in the order already shown, unseen ones last, so that nothing moves away under a pointer. */
export function inShownOrder<C extends { task_id: string }>(cards: readonly C[], shown: readonly string[]): C[] {
  const place = new Map(shown.map((task_id, index) => [task_id, index]));
  const placeOf = ({ task_id }: C) => place.get(task_id) ?? Infinity;
  return [...cards].sort((a, b) => (placeOf(a) === placeOf(b) ? 0 : placeOf(a) - placeOf(b)));
}

const BY_NEED: readonly TaskStatus[] = ['inreview', 'inprogress', 'todo', 'done', 'cancelled'];

/** Where only one column has room: the one that most likely waits for somebody. */
export const firstShown = (columns: readonly { status: TaskStatus; count: number }[]): TaskStatus =>
  BY_NEED.find((status) => columns.some((column) => column.status === status && column.count > 0)) ?? 'todo';
