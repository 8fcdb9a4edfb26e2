import type { HousekeepingJob } from '../platform/queue/turn-queue.js';

/** Kinds of housekeeping jobs: asked for by changes of records, worked through by runners. */
export { PREPARE_WORKSPACE } from '../attempts/ready-workspaces.js';
export const DISPOSE_WORKSPACES = 'dispose_workspaces';
export const EXPIRE_WORKSPACES = 'expire_workspaces';
export const PRUNE_RECORDS = 'prune_records';

/** The worktrees of deleted tasks. */
export const disposalOf = (attempt_ids: string[]): HousekeepingJob => ({
  kind: DISPOSE_WORKSPACES,
  data: { attempt_ids },
});
