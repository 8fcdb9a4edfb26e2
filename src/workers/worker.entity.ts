import { Column, Entity, PrimaryColumn } from 'typeorm';
import { RecordTime, type RecordTimes } from '../platform/database/record-time.js';

/** A person or an agent who owns tasks. */
@Entity('workers')
export class Worker {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  /** `@name`, unique. */
  @Column('text') handle!: string;
  @Column('text') name!: string;
  @Column('text') type!: 'human' | 'agent';
  /** Id of the person or agent in the system that calls. */
  @Column('text', { nullable: true }) user_id!: string | null;
  @RecordTime() created_at!: Date;
  @RecordTime() updated_at!: Date;
}

export type NewWorker = Omit<Worker, 'number' | keyof RecordTimes>;
