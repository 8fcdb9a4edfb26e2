import type { Stage } from './task-stage.js';

/** TaskFlow's words; a generated column computes the same projection. `cancelled` is an extension: no move leads in or out. */
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

export interface StageAndBlock { stage: Stage; is_blocked: boolean }

export function taskflowStatusOf({ stage, is_blocked }: StageAndBlock): TaskflowStatus {
  if (stage === 'DONE') return 'completed';
  if (stage === 'CANCELLED') return 'cancelled';
  if (is_blocked) return 'blocked';
  if (stage === 'INIT') return 'pending';
  return stage === 'VERIFY' ? 'review' : 'in_progress';
}

/** Where a move leads. Blocking keeps the stage underneath, and unblocking comes back to it. */
export function enterTaskflowStatus(current: StageAndBlock, status: TaskflowStatus): StageAndBlock {
  switch (status) {
    case 'blocked': return { stage: current.stage, is_blocked: true };
    case 'pending': return { stage: 'INIT', is_blocked: false };
    case 'in_progress': return { stage: current.is_blocked && current.stage !== 'INIT' ? current.stage : 'GATHER', is_blocked: false };
    case 'review': return { stage: 'VERIFY', is_blocked: false };
    case 'completed': return { stage: 'DONE', is_blocked: false };
    case 'cancelled': return { stage: 'CANCELLED', is_blocked: false };
  }
}
