import { Column, Entity, PrimaryColumn } from 'typeorm';
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
  /** An assignee in free words, where it names no worker. */
  @Column('text', { nullable: true }) assignee_text!: string | null;
  @Column('uuid', { nullable: true }) created_by_worker_id!: string | null;
  /** The attempt whose run made it; null where a person or another system did. */
  @Column('uuid', { nullable: true }) made_by_attempt_id!: string | null;
  /** The principal whose room its texts take; null in rows of older releases. */
  @Column('text', { nullable: true }) stored_by!: string | null;
  /** As it was written; each dialect projects it to its own words. */
  @Column('text', { nullable: true }) priority!: string | null;
  @Column('int') progress_percent!: number;
  @Column('text', { array: true }) tags!: string[];
  @Column('timestamptz', { nullable: true }) due_date!: Date | null;
  @Column('timestamptz', { nullable: true }) started_at!: Date | null;
  @Column('timestamptz', { nullable: true }) completed_at!: Date | null;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') updated_at!: Date;
  @Column('timestamptz', { nullable: true }) deleted_at!: Date | null;
}

/** The rest is the database's: the number and the words that follow from the stage. */
export type NewTask = Omit<Task, 'number' | 'status' | 'taskflow_status'>;
