/** What is stored. */
export const stages = ['INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE', 'CANCELLED'] as const;
export type Stage = (typeof stages)[number];

/** The board's columns, a projection of the stage (a generated column in the database computes the same). */
export const taskStatuses = ['todo', 'inprogress', 'inreview', 'done', 'cancelled'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

const statusByStage: Record<Stage, TaskStatus> = {
  INIT: 'todo',
  GATHER: 'inprogress',
  ANALYZE: 'inprogress',
  PLAN: 'inprogress',
  APPLY: 'inprogress',
  VERIFY: 'inreview',
  DONE: 'done',
  CANCELLED: 'cancelled',
};

export const statusOf = (stage: Stage): TaskStatus => statusByStage[stage];

/** Keeps the stage if it already has this status; otherwise enters the first stage of the status. */
export const enterStatus = (current: Stage, status: TaskStatus): Stage =>
  statusOf(current) === status ? current : stages.find((stage) => statusOf(stage) === status)!;
