import { Column, Entity, PrimaryColumn } from 'typeorm';
import { RecordTime, type RecordTimes } from '../platform/database/record-time.js';
import { AppError } from '../platform/errors/app-error.js';
import type { DeliveryState } from '../tasks/task.dto.js';
import type { Task } from '../tasks/task.entity.js';
import type { CheckState } from '../tasks/checks-state.dto.js';

/** preparing: the worktree does not exist yet; lost: it could not be created, and is tried again when needed; removed:
 *  housekeeping removed it, and it can be created again. */
export type WorkspaceState = 'preparing' | 'ready' | 'lost' | 'removed';

@Entity('attempts')
export class Attempt {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  @Column('uuid') task_id!: string;
  @Column('uuid') project_id!: string;
  @Column('text') branch!: string;
  @Column('text') workspace_state!: WorkspaceState;
  /** The runner that holds the worktree; null before the first. */
  @Column('text', { nullable: true }) runner_id!: string | null;
  /** The attempt whose run started it; null where a person or another system did. */
  @Column('uuid', { nullable: true }) parent_attempt_id!: string | null;
  /** Number of runs above it up to the one that a person started; the database allows 3. */
  @Column('smallint') depth!: number;
  @RecordTime() created_at!: Date;
  @RecordTime() updated_at!: Date;
  /** As of the last delivery; null before the first. The current state is read from the worktree. */
  @Column('text', { nullable: true }) delivery_state!: DeliveryState | null;
  @Column('timestamptz', { nullable: true }) delivery_state_at!: Date | null;
  /** Known of undelivered work since its last turn, a look at its delivery, or a merge that moved its target. */
  @Column('boolean') would_conflict!: boolean;
  @Column('text', { nullable: true }) pr_url!: string | null;
  /** Files and lines of all its changes, as counted after its last turn; null before. */
  @Column('int', { nullable: true }) files_changed!: number | null;
  @Column('int', { nullable: true }) lines_added!: number | null;
  @Column('int', { nullable: true }) lines_deleted!: number | null;
  /** Equal as long as its worktrees hold the same, as found after its last turn where a second agent reviews. */
  @Column('text', { nullable: true }) work_print!: string | null;
  /** An agent was asked to resolve the update in progress; the server completes it once nothing runs any more. */
  @Column('boolean') resolving!: boolean;
  /** Of its required checks, as the server last knew; null before the first run. */
  @Column('text', { nullable: true }) checks_state!: CheckState | null;
  /** How often a failed check went back to the agent since a person wrote, and why it does not any more. */
  @Column('smallint') fix_rounds_used!: number;
  @Column('text', { nullable: true }) checks_exhausted_reason!: string | null;
  /** History from elsewhere: it has no worktree here and never will, and nothing of it runs. */
  @Column('boolean') is_imported!: boolean;
}

/** An attempt as callers see it. */
export type VisibleAttempt = Attempt & Pick<Task, 'made_by_attempt_id'>;

/** Whose worktrees may be somewhere that they should not be. */
export type StrayAttempt = Attempt & { is_deleted: boolean };

/** Without the number, which the database sets. */
export type NewAttempt = Omit<
  Attempt,
  | 'number'
  | 'delivery_state'
  | 'delivery_state_at'
  | 'would_conflict'
  | 'pr_url'
  | 'files_changed'
  | 'lines_added'
  | 'lines_deleted'
  | 'work_print'
  | 'resolving'
  | 'checks_state'
  | 'fix_rounds_used'
  | 'checks_exhausted_reason'
  | 'is_imported'
  | keyof RecordTimes
>;

const WHAT_NOW =
  'It was imported as history, and cannot go on. Call {op:start_task_attempt} for a new attempt of its task.';

/** Why an imported attempt has no worktree, and what to do. */
export const historyOnly = ({ id: attempt_id, branch: workspace_branch }: Pick<Attempt, 'id' | 'branch'>): AppError =>
  new AppError('workspace_lost', { attempt_id, workspace_branch, reason: 'it was imported as history' }, WHAT_NOW);

@Entity('attempt_repos')
export class AttemptRepo {
  @PrimaryColumn('uuid') attempt_id!: string;
  @PrimaryColumn('uuid') repo_id!: string;
  @Column('int') position!: number;
  @Column('text') repo_name!: string;
  @Column('text') repo_path!: string;
  @Column('text') target_branch!: string;
  @Column('text', { nullable: true }) base_commit!: string | null;
  /** An update begun here, and what it brings in; whether it is still in progress is read from the worktree. */
  @Column('text', { nullable: true }) operation!: 'merge' | 'rebase' | null;
  @Column('text', { nullable: true }) operation_onto!: string | null;
  /** Tip of the branch after its last delivery. */
  @Column('text', { nullable: true }) delivered_head!: string | null;
}

export type NewAttemptRepo = Omit<AttemptRepo, 'operation' | 'operation_onto' | 'delivered_head'>;
