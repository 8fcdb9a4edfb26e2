import { Column, Entity, PrimaryColumn } from 'typeorm';
import { RecordTime, type RecordTimes } from '../platform/database/record-time.js';
import type { MergeStrategy } from '../workspaces/delivery-host.js';

export const deliveryKinds = ['merge', 'push', 'pull_request'] as const;
/** landing, undoing: the branch may move at any moment; the branch tells the outcome. */
export const deliveryRowStates = ['landing', 'merged', 'pushed', 'undoing', 'undone', 'failed'] as const;

/** One delivery of the work of one repository. */
@Entity('deliveries')
export class Delivery {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  @Column('uuid') attempt_id!: string;
  @Column('uuid') repo_id!: string;
  @Column('uuid') task_id!: string;
  @Column('uuid') project_id!: string;
  @Column('text') kind!: (typeof deliveryKinds)[number];
  @Column('text') state!: (typeof deliveryRowStates)[number];
  @Column('text', { nullable: true }) strategy!: MergeStrategy | null;
  /** Tip of the attempt's branch that was delivered. */
  @Column('text') source_commit!: string;
  @Column('text') target_branch!: string;
  /** Null where the branch did not exist before. */
  @Column('text', { nullable: true }) target_before!: string | null;
  @Column('text') target_after!: string;
  /** Base of the attempt's branch before. */
  @Column('text', { nullable: true }) base_before!: string | null;
  @Column('text', { nullable: true }) remote!: string | null;
  /** Whether it moved the task to done. */
  @Column('boolean') moved_task!: boolean;
  @Column('text', { nullable: true }) error_code!: string | null;
  @Column('text') requested_by!: string;
  @RecordTime() created_at!: Date;
  @RecordTime() updated_at!: Date;
}

export type NewDelivery = Omit<Delivery, 'number' | keyof RecordTimes>;
