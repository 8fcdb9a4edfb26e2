import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { MergeStrategy } from '../workspaces/delivery-host.js';

export const deliveryKinds = ['merge', 'push', 'pull_request'] as const;
/** landing: the commit is made and its branch may move at any moment; what became of it, the branch says. */
export const deliveryRowStates = ['landing', 'merged', 'pushed', 'undone', 'failed'] as const;

/** One act of bringing the work of one repository to where it belongs. */
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
  /** What the attempt's branch counted its changes from. */
  @Column('text', { nullable: true }) base_before!: string | null;
  @Column('text', { nullable: true }) remote!: string | null;
  /** The task is done because of it. */
  @Column('boolean') moved_task!: boolean;
  @Column('text', { nullable: true }) error_code!: string | null;
  @Column('text') requested_by!: string;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') updated_at!: Date;
}

export type NewDelivery = Omit<Delivery, 'number'>;
