import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Stage, TaskStatus } from './task-stage.js';

@Entity('tasks')
export class Task {
  @PrimaryColumn('uuid') id!: string;
  /** Order of insertion. */
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  /** Null only for tasks made without a project; they cannot be attempted. */
  @Column('uuid', { nullable: true }) project_id!: string | null;
  @Column('text') title!: string;
  @Column('text', { nullable: true }) description!: string | null;
  @Column('text') stage!: Stage;
  @Column('boolean') is_blocked!: boolean;
  @Column({ type: 'text', insert: false, update: false }) status!: TaskStatus;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') updated_at!: Date;
  @Column('timestamptz', { nullable: true }) deleted_at!: Date | null;
}
