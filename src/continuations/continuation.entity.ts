import { Column, Entity, PrimaryColumn } from 'typeorm';
import { RecordTime } from '../platform/database/record-time.js';

/** repair: a required check failed. review: a second agent requests changes. transient, quota, infra: failures that
 *  pass by themselves. */
export const continuationCauses = ['repair', 'review', 'transient', 'quota', 'infra'] as const;
export type ContinuationCause = (typeof continuationCauses)[number];
/** due: waits for its time. queued: its time has come, and something is in its way. sent: its turn was begun. dropped:
 *  somebody took over. exhausted: it did not help, and a person is asked. */
export const continuationStates = ['due', 'queued', 'sent', 'dropped', 'exhausted'] as const;
export type ContinuationState = (typeof continuationStates)[number];

/** One more message to an agent, which the server sends by itself. */
@Entity('continuations')
export class Continuation {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  @Column('uuid') attempt_id!: string;
  @Column('uuid') project_id!: string;
  @Column('uuid') task_id!: string;
  @Column('uuid') session_id!: string;
  @Column('text') cause!: ContinuationCause;
  /** What is seen twice is planned once. */
  @Column('text') cause_key!: string;
  /** Of its cause, since somebody last sent a message. */
  @Column('smallint') round!: number;
  /** Turns with this message in which the agent did nothing. */
  @Column('smallint') idle!: number;
  @Column('timestamptz') due_at!: Date;
  @Column('text') state!: ContinuationState;
  /** Why it waits, was dropped or did not help. */
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('text') prompt!: string;
  @Column('boolean') is_task_text!: boolean;
  @Column('text', { nullable: true }) variant!: string | null;
  @Column('int', { nullable: true }) timeout_secs!: number | null;
  /** The job that is its clock. */
  @Column('uuid') job_id!: string;
  /** First execution of its turn. */
  @Column('uuid', { nullable: true }) execution_id!: string | null;
  /** Somebody has sent a message since, or what it was for has gone well: it counts no more. */
  @Column('boolean') is_past!: boolean;
  @RecordTime() created_at!: Date;
  @RecordTime() updated_at!: Date;
}

export type NewContinuation = Omit<Continuation, 'number' | 'execution_id' | 'is_past' | 'created_at' | 'updated_at'>;
