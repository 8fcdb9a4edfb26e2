import { AppError } from '../errors/app-error.js';
import type { Principal } from './principal.js';

interface TaskPlace {
  id: string;
  parent_task_id: string | null;
}

export const isRun = ({ attempt }: Principal): boolean => attempt !== null;

/** @throws AppError forbidden where a run calls what is not for runs */
export function requireCaller(principal: Principal, isForRuns: boolean, action: string): void {
  if (isRun(principal) && !isForRuns)
    throw new AppError(
      'forbidden',
      { reason: `a run may not ${action}` },
      'A run reads its project and changes its own task and the subtasks of that; leave the rest to a person.',
    );
}

/** @throws AppError forbidden where a run changes the task of somebody else */
export function requireChangeable(principal: Principal, { id, parent_task_id }: TaskPlace): void {
  if (parentOf(principal) === null || [id, parent_task_id].includes(principal.task)) return;
  throw new AppError(
    'forbidden',
    { reason: 'a run may change its own task and the subtasks of that only' },
    'Change the task that get_context returns, or create a subtask of it; AGENT_SCOPES=tasks allows every task.',
  );
}

/** How far the tools reach that are for a run; null for every other caller. */
export type RunReach = 'own' | 'attempts';
export function runReachOf(principal: Principal): RunReach | null {
  if (!isRun(principal)) return null;
  return principal.scopes.includes('execute') ? 'attempts' : 'own';
}

/** @param task whose attempt is to be started, followed up or stopped
 *  @throws AppError forbidden where a run did not make it, or may do none of that */
export function requireMade(principal: Principal, task: { made_by_attempt_id: string | null }): void {
  requireCaller(principal, runReachOf(principal) === 'attempts', 'start, follow up or stop attempts');
  if (!isRun(principal) || task.made_by_attempt_id === principal.attempt) return;
  throw new AppError(
    'forbidden',
    { reason: 'a run may start, follow up and stop attempts of tasks that it made only' },
    'Create a task of your own and start that; leave the others to a person.',
  );
}

/** The task under which everything has to be that the caller makes; null where it is free. */
export const parentOf = ({ task, isFreeAmongTasks }: Principal): string | null => (isFreeAmongTasks ? null : task);
