import { enterStatus, type Stage, type TaskStatus } from './task-stage.js';

/** TaskFlow's words; a generated column computes the same projection. `cancelled` is an extension: no move leads in or
 *  out. */
export const taskflowStatuses = ['pending', 'in_progress', 'review', 'completed', 'blocked', 'cancelled'] as const;
export type TaskflowStatus = (typeof taskflowStatuses)[number];

export const taskflowTransitions: Record<TaskflowStatus, readonly TaskflowStatus[]> = {
  pending: ['in_progress', 'blocked', 'completed'],
  in_progress: ['review', 'completed', 'blocked'],
  review: ['in_progress', 'completed'],
  completed: ['review'],
  blocked: ['pending', 'in_progress'],
  cancelled: [],
};

export interface StageAndBlock {
  stage: Stage;
  is_blocked: boolean;
}

export function taskflowStatusOf({ stage, is_blocked }: StageAndBlock): TaskflowStatus {
  if (stage === 'DONE') return 'completed';
  if (stage === 'CANCELLED') return 'cancelled';
  if (is_blocked) return 'blocked';
  if (stage === 'INIT') return 'pending';
  return stage === 'VERIFY' ? 'review' : 'in_progress';
}

const column: Record<Exclude<TaskflowStatus, 'blocked'>, TaskStatus> = {
  pending: 'todo',
  in_progress: 'inprogress',
  review: 'inreview',
  completed: 'done',
  cancelled: 'cancelled',
};

/** The stage after a move. Blocking keeps the stage underneath, and unblocking returns to it. */
export function enterTaskflowStatus(current: StageAndBlock, status: TaskflowStatus): StageAndBlock {
  if (status === 'blocked') return { stage: current.stage, is_blocked: true };
  return { stage: enterStatus(current.stage, column[status]), is_blocked: false };
}
