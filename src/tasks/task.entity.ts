import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type NOW, RecordTime, type RecordTimes } from '../platform/database/record-time.js';
import type { Stage, TaskStatus } from './task-stage.js';
import type { TaskflowStatus } from './taskflow-status.js';

@Entity('tasks')
export class Task {
  @PrimaryColumn('uuid') id!: string;
  /** Order of insertion. */
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  /** Null only for tasks made without a project; they cannot be attempted. */
  @Column('uuid', { nullable: true }) project_id!: string | null;
  @Column('uuid', { nullable: true }) parent_task_id!: string | null;
  @Column('text') title!: string;
  @Column('text', { nullable: true }) description!: string | null;
  @Column('text') stage!: Stage;
  @Column('boolean') is_blocked!: boolean;
  @Column({ type: 'text', insert: false, update: false }) status!: TaskStatus;
  @Column({ type: 'text', insert: false, update: false }) taskflow_status!: TaskflowStatus;
  @Column('uuid', { nullable: true }) assignee_worker_id!: string | null;
  /** Assignee as free text, if it names no worker. */
  @Column('text', { nullable: true }) assignee_text!: string | null;
  @Column('uuid', { nullable: true }) created_by_worker_id!: string | null;
  /** The attempt whose run created it; null if a person or another system did. */
  @Column('uuid', { nullable: true }) made_by_attempt_id!: string | null;
  /** The principal whose storage its texts count against. */
  @Column('text', { nullable: true }) stored_by!: string | null;
  /** As it was written; each dialect projects it to its own words. */
  @Column('text', { nullable: true }) priority!: string | null;
  @Column('int') progress_percent!: number;
  @Column('text', { array: true }) tags!: string[];
  @Column('timestamptz', { nullable: true }) due_date!: Date | null;
  @Column('timestamptz', { nullable: true }) started_at!: Date | null;
  @Column('timestamptz', { nullable: true }) completed_at!: Date | null;
  @RecordTime() created_at!: Date;
  @RecordTime() updated_at!: Date;
  @Column('timestamptz', { nullable: true }) deleted_at!: Date | null;
  /** Since then on no board and in no list, until somebody takes it back or a run of it begins. */
  @Column('timestamptz', { nullable: true }) archived_at!: Date | null;
  /** All that have worked on it; the database notes them. */
  @Column('text', { array: true }) executors!: string[];
}

/** Without what the database sets: number, statuses derived from the stage, and times. */
export type NewTask = Omit<
  Task,
  | 'number'
  | 'status'
  | 'taskflow_status'
  | 'started_at'
  | 'completed_at'
  | 'deleted_at'
  | 'archived_at'
  | 'executors'
  | keyof RecordTimes
> &
  Record<'started_at' | 'completed_at', Date | typeof NOW | null>;
