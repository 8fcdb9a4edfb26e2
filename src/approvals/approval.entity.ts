import { Column, Entity, PrimaryColumn } from 'typeorm';

export const approvalStatuses = ['pending', 'approved', 'denied', 'timed_out', 'cancelled'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

/** A permission an agent asked for. The row is the truth; its process waits for the row to change. */
@Entity('approvals')
export class Approval {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  @Column('uuid') execution_id!: string;
  @Column('uuid') attempt_id!: string;
  @Column('uuid') task_id!: string;
  @Column('uuid') project_id!: string;
  @Column('text') tool_name!: string;
  @Column('text', { nullable: true }) tool_call!: string | null;
  @Column('text') summary!: string;
  @Column('jsonb') input!: Record<string, unknown>;
  @Column('text') status!: ApprovalStatus;
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('text', { nullable: true }) answered_by!: string | null;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') timeout_at!: Date;
  @Column('timestamptz', { nullable: true }) answered_at!: Date | null;
}

/** What is written of a new request; it is pending. */
export type NewApproval = Omit<Approval, 'number' | 'status' | 'reason' | 'answered_by' | 'answered_at'>;

export type ApprovalKey = Pick<Approval, 'id' | 'attempt_id' | 'execution_id' | 'task_id' | 'project_id' | 'tool_name'>;
/** How a request ended. */
export type SettledApproval = Pick<Approval, 'reason'> & { status: Exclude<ApprovalStatus, 'pending'> };
