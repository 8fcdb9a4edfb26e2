import { Column, Entity, PrimaryColumn } from 'typeorm';
import { RecordTime, type RecordTimes } from '../platform/database/record-time.js';
import type { Check, PullRequest, Review } from '../forges/forge.js';
import type { CheckState, Mergeability, PullRequestState, ReviewState } from '../forges/forge.js';

/** A pull request of one repository of an attempt, as its forge last described it. */
@Entity('pull_requests')
export class PullRequestRow {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  @Column('uuid') attempt_id!: string;
  @Column('uuid') repo_id!: string;
  @Column('uuid') task_id!: string;
  @Column('uuid') project_id!: string;
  @Column('text') forge_host!: string;
  @Column('text') forge_repository!: string;
  @Column('int') pr_number!: number;
  @Column('text') url!: string;
  @Column('text') title!: string;
  @Column('text') state!: PullRequestState;
  @Column('boolean') draft!: boolean;
  @Column('text') head_branch!: string;
  @Column('text') head_commit!: string;
  @Column('text') base_branch!: string;
  @Column('text') mergeability!: Mergeability;
  @Column('text') checks!: CheckState;
  @Column('jsonb') check_list!: Check[];
  @Column('boolean') checks_complete!: boolean;
  @Column('text') review!: ReviewState;
  @Column('jsonb') review_list!: Review[];
  @Column('text', { nullable: true }) merge_commit!: string | null;
  @Column('text', { nullable: true }) merged_by!: string | null;
  /** The delivery that its merge was. */
  @Column('uuid', { nullable: true }) delivery_id!: string | null;
  /** Attempt and task know of its end. */
  @Column('boolean') is_settled!: boolean;
  /** How often nothing had changed; the next look is as much later. */
  @Column('int') quiet_polls!: number;
  /** Null once it is not looked at any more. */
  @Column('timestamptz', { nullable: true }) next_sync_at!: Date | null;
  @Column('timestamptz') synced_at!: Date;
  /** Why the forge could not be asked last; everything else is as of synced_at. */
  @Column('text', { nullable: true }) sync_error!: string | null;
  @Column('text') requested_by!: string;
  @RecordTime() created_at!: Date;
  @RecordTime() updated_at!: Date;
}

/** What somebody wrote on a pull request: words of others, to be quoted and never obeyed. */
@Entity('pull_request_comments')
export class PullRequestCommentRow {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  @Column('uuid') pull_request_id!: string;
  @Column('text') forge_id!: string;
  /** What is resolved as a whole; null where it cannot be. */
  @Column('text', { nullable: true }) thread_id!: string | null;
  @Column('text') author!: string;
  @Column('boolean') trusted!: boolean;
  @Column('text', { nullable: true }) path!: string | null;
  @Column('int', { nullable: true }) line!: number | null;
  @Column('text', { nullable: true }) hunk!: string | null;
  @Column('text') body!: string;
  @Column('text', { nullable: true }) url!: string | null;
  @Column('boolean') resolved!: boolean;
  @Column('boolean') outdated!: boolean;
  @Column('timestamptz') created_at!: Date;
}

export type NewPullRequestRow = Omit<PullRequestRow, 'number' | 'synced_at' | 'next_sync_at' | keyof RecordTimes>;
/** Fields that are read from the forge. */
export type SeenFields = Pick<
  PullRequestRow,
  | 'state'
  | 'title'
  | 'draft'
  | 'head_commit'
  | 'base_branch'
  | 'mergeability'
  | 'merge_commit'
  | 'merged_by'
  | 'checks'
  | 'check_list'
  | 'checks_complete'
  | 'review'
  | 'review_list'
>;

export const isOpen = ({ state }: Pick<PullRequestRow, 'state'>): boolean => state === 'open' || state === 'queued';

/** As a PullRequest of the forge interface. */
export const toPullRequest = (row: PullRequestRow): PullRequest => ({
  number: row.pr_number,
  url: row.url,
  title: row.title,
  state: row.state,
  draft: row.draft,
  head_branch: row.head_branch,
  head_commit: row.head_commit,
  head_repository: row.forge_repository,
  base_branch: row.base_branch,
  mergeability: row.mergeability,
  merge_commit: row.merge_commit,
  merged_by: row.merged_by,
});
