import { Column, Entity, PrimaryColumn } from 'typeorm';
import { RecordTime } from '../platform/database/record-time.js';

export const approvalStatuses = ['pending', 'approved', 'denied', 'timed_out', 'cancelled'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

/** A delivery that its caller may only request; the server performs it once a person has approved it. */
export interface DeliveryRequest {
  /** tampering: nothing is delivered, but files that decide its checks are accepted. */
  act: 'merge' | 'undo' | 'push' | 'pull_request' | 'tampering';
  /** Arguments of the call, without request_id. */
  arguments: { attempt_id: string };
  /** The commits that the person is shown; the request is void for any other. */
  heads: ApprovedHead[];
}

export interface ApprovedHead {
  repo_id: string;
  repo_name: string;
  head: string;
}

export const hostGrants = ['run', 'project'] as const;
export type HostGrant = (typeof hostGrants)[number];

/** A permission that an agent requested. Its process waits for the row to change. */
@Entity('approvals')
export class Approval {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  /** Null where no execution waits for the answer: a delivery. */
  @Column('uuid', { nullable: true }) execution_id!: string | null;
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
  @RecordTime() created_at!: Date;
  /** Null: it stays open. */
  @Column('timestamptz', { nullable: true }) timeout_at!: Date | null;
  @Column('timestamptz', { nullable: true }) answered_at!: Date | null;
  @Column('jsonb', { nullable: true }) delivery!: DeliveryRequest | null;
  /** The host that a run asks to reach, as a host rule; null for every other request. */
  @Column('text', { nullable: true }) requested_host!: string | null;
  /** For whom it may be reached, once that is approved. */
  @Column('text', { nullable: true }) granted_for!: HostGrant | null;
  /** When the approved delivery was performed. */
  @Column('timestamptz', { nullable: true }) performed_at!: Date | null;
}

/** Fields of a new, pending request. */
export type NewApproval = Omit<
  Approval,
  | 'number'
  | 'status'
  | 'reason'
  | 'answered_by'
  | 'created_at'
  | 'timeout_at'
  | 'answered_at'
  | 'granted_for'
  | 'performed_at'
> & { timeout_secs: number | null };

export type ApprovalKey = Pick<Approval, 'id' | 'attempt_id' | 'execution_id' | 'task_id' | 'project_id' | 'tool_name'>;
/** How a request ended. */
export type SettledApproval = Pick<Approval, 'reason'> & {
  status: Exclude<ApprovalStatus, 'pending'>;
  granted_for?: HostGrant | null;
};
