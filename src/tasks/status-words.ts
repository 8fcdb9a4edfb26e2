import { stages, statusOf, type TaskStatus } from './task-stage.js';
import { taskflowStatuses } from './taskflow-status.js';

/** What the dialects, and models, call each column of the board. */
const words: Record<TaskStatus, readonly string[]> = {
  todo: ['pending'],
  inprogress: ['in_progress'],
  inreview: ['in_review', 'review'],
  done: ['completed', 'complete'],
  cancelled: ['canceled'],
};
const simplified = (word: string): string => word.trim().toLowerCase().replace(/[-_ ]/g, '');
const columns = new Map(
  (Object.keys(words) as TaskStatus[]).flatMap((status) => {
    const named = [status, ...words[status], ...stages.filter((stage) => statusOf(stage) === status)];
    return named.map((word): [string, TaskStatus] => [simplified(word), status]);
  }),
);

/** Reads the words of every dialect as the one that another has for it; where it has several, none is meant.
 *  @param own the statuses of that dialect */
export function statusWord(own: readonly string[]): (value: unknown) => unknown {
  return (value) => {
    if (typeof value !== 'string' || own.includes(value)) return value;
    const column = columns.get(simplified(value));
    const same = own.filter((word) => columns.get(simplified(word)) === column);
    return column !== undefined && same.length === 1 ? same[0] : value;
  };
}

export const taskflowWord = statusWord(taskflowStatuses);
export const stageWord = statusWord(stages);
