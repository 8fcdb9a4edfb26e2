import { Column, Entity, PrimaryColumn } from 'typeorm';
import { RecordTime } from '../platform/database/record-time.js';

export const verdicts = ['approve', 'request_changes'] as const;
export type Verdict = (typeof verdicts)[number];

/** running: it waits or reads. submitted: it gave its verdict. errored: it ended without, or could not begin. */
export const reviewStates = ['running', 'submitted', 'errored'] as const;
export type ReviewState = (typeof reviewStates)[number];

/** What a second agent says of the work of an attempt. */
@Entity('agent_reviews')
export class AgentReview {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  @Column('uuid') attempt_id!: string;
  @Column('uuid') project_id!: string;
  /** Both null where it could not begin. */
  @Column('uuid', { nullable: true }) session_id!: string | null;
  @Column('uuid', { nullable: true }) execution_id!: string | null;
  @Column('text') executor!: string;
  /** Of the work that it is about. */
  @Column('text', { nullable: true }) work_print!: string | null;
  @Column('text', { nullable: true }) verdict!: Verdict | null;
  @Column('text', { nullable: true }) summary!: string | null;
  /** What it found, as comments. */
  @Column('uuid', { array: true }) comment_ids!: string[];
  /** Why it could not begin. */
  @Column('text', { nullable: true }) refusal!: string | null;
  @RecordTime() created_at!: Date;
  @Column('timestamptz', { nullable: true }) submitted_at!: Date | null;
}

/** A review and what became of it. */
export type StandingReview = AgentReview & { state: ReviewState; reason: string | null };

export type NewAgentReview = Pick<
  AgentReview,
  'id' | 'attempt_id' | 'project_id' | 'session_id' | 'execution_id' | 'executor' | 'work_print' | 'refusal'
>;

/** What a reviewer submits. */
export type Submitted = Pick<AgentReview, 'comment_ids'> & { verdict: Verdict; summary: string };
