import {
  BoolField,
  EnumField,
  ListField,
  RecordField,
  TextField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';
import { Modes } from '../platform/fields/mode-rules.js';
import { PageInput, PageOutput } from '../platform/fields/paging.js';
import { type Approval, type ApprovalStatus, approvalStatuses, type HostGrant, hostGrants } from './approval.entity.js';

export class ListApprovalsInput extends PageInput {
  @UuidField('Return only requests of this attempt (UUID).', { optional: true }) attempt_id?: string;
  @EnumField(
    `Return only requests with this status: one of ${approvalStatuses.join(', ')}. Default pending.`,
    approvalStatuses,
    { optional: true, default: 'pending', example: 'pending' },
  )
  status?: ApprovalStatus;
}

export class ListPendingApprovalsInput extends PageInput {
  @UuidField('Return only requests of this attempt (UUID).', { optional: true }) attempt_id?: string;
}

@Modes('decision', { approve: { forbid: ['reason'] }, deny: { forbid: ['for', 'always'] } })
export class AnswerApprovalInput {
  @UuidField('Approval id (UUID), from list_pending_approvals.') approval_id!: string;
  @EnumField('approve: the agent may proceed; deny: it may not, and receives the reason.', ['approve', 'deny'], {
    example: 'deny',
  })
  decision!: 'approve' | 'deny';
  @TextField('Why the request is denied; the agent reads it.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: 'Use the test database.',
  })
  reason?: string;
  @EnumField(
    'Only to approve a host that a run asks for: run (until it ends; the default) or project (adds it to ' +
      'allowed_hosts; takes a maintainer).',
    hostGrants,
    { optional: true, example: 'run' },
  )
  for?: HostGrant;
  @BoolField('True also approves every equal request of this project from now on; takes a maintainer.', {
    optional: true,
    example: true,
    normalise: (value) => (value === false ? undefined : value),
  })
  always?: boolean;
}

export class ApprovalOutput {
  @UuidField('Approval id (UUID).') approval_id!: string;
  @UuidField('Attempt of the agent that asked (UUID).') attempt_id!: string;
  @UuidField('Execution that waits for the answer (UUID); null for a delivery, which the server performs.', {
    nullable: true,
  })
  execution_process_id!: string | null;
  @TextField('Tool the agent wants to use; merge_attempt, push_attempt or merge_pull_request for a delivery.', {
    example: 'Bash',
  })
  tool_name!: string;
  @TextField('What it wants to do, in one line.', { example: 'rm -r build' }) summary!: string;
  @RecordField(
    'Arguments of the tool; those of a delivery have its preview and diff summary. Beyond 64 KB only their ' +
      'beginning, marked is_truncated.',
    {
      example: { command: 'rm -r build' },
    },
  )
  input!: Record<string, unknown>;
  @TextField('Host that the run asks to reach, for tool_name request_host; else null.', {
    nullable: true,
    example: null,
  })
  requested_host!: string | null;
  @EnumField('For whom the host was approved: run, project, or null.', hostGrants, { nullable: true, example: null })
  granted_for!: HostGrant | null;
  @EnumField(`Status of the request: one of ${approvalStatuses.join(', ')}.`, approvalStatuses, {
    example: 'pending',
  })
  status!: ApprovalStatus;
  @TextField('Why it was denied, or null.', { nullable: true, example: null }) reason!: string | null;
  @TextField('Who answered, or null; @taskyard if the request expired.', { nullable: true, example: '@ada' })
  answered_by!: string | null;
  @TimeField('When the agent asked (RFC 3339).') created_at!: string;
  @TimeField('When the request expires and is denied (RFC 3339); null if it does not.', { nullable: true })
  timeout_at!: string | null;
  @TimeField('When it was answered (RFC 3339), or null.', { nullable: true }) answered_at!: string | null;
  @TimeField('When the server performed the approved delivery (RFC 3339), or null.', { nullable: true })
  performed_at!: string | null;
}

export class ListApprovalsOutput extends PageOutput {
  @ListField('Approval requests, newest first.', () => ApprovalOutput) approvals!: ApprovalOutput[];
}

export const toApprovalOutput = (row: Approval): ApprovalOutput => ({
  approval_id: row.id,
  attempt_id: row.attempt_id,
  execution_process_id: row.execution_id,
  tool_name: row.tool_name,
  summary: row.summary,
  input: row.input,
  requested_host: row.requested_host,
  granted_for: row.granted_for,
  status: row.status,
  reason: row.reason,
  answered_by: row.answered_by,
  created_at: row.created_at.toISOString(),
  timeout_at: row.timeout_at?.toISOString() ?? null,
  answered_at: row.answered_at?.toISOString() ?? null,
  performed_at: row.performed_at?.toISOString() ?? null,
});
