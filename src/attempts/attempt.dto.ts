import { UsageField, type UsageOutput } from '../executors/usage.dto.js';
import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  ObjectField,
  TextField,
  TimeField,
  UuidField,
  UuidListField,
} from '../platform/fields/fields.js';
import { PageInput, PageOutput, WaitField } from '../platform/fields/paging.js';
import { DeliveryStateField, PullRequestUrlField, TaskIdField } from '../tasks/task.dto.js';
import { taskStatuses } from '../tasks/task-stage.js';
import { type CheckState, ChecksStateField } from '../tasks/checks-state.dto.js';

export const attemptStates = ['idle', 'running', 'completed', 'failed'] as const;
export type AttemptState = (typeof attemptStates)[number];
const waitingCodes = [
  'no_runner',
  'no_runner_with_label',
  'no_place',
  'project_cap',
  'executor_cap',
  'home_draining',
] as const;
const STATE_WORDS = 'one of idle (nothing has run yet), running, completed, failed (also after a stop)';

export const AttemptIdField = (options: { optional?: boolean } = {}) =>
  UuidField('UUID from list_task_attempts.', options);

export class AttemptTarget {
  @AttemptIdField() attempt_id!: string;
}

export class ListAttemptsInput extends PageInput {
  @TaskIdField() task_id!: string;
}

export class AttemptOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @TextField('Git branch of the attempt.', { example: 'ty/1f0c9d2e-add-a-health-check' }) workspace_branch!: string;
  @EnumField(`State of the attempt: ${STATE_WORDS}.`, attemptStates, { example: 'completed' }) state!: AttemptState;
  @TimeField('When it was created (RFC 3339).') created_at!: string;
  @TimeField('When it last changed (RFC 3339).') updated_at!: string;
  @UuidField('Latest session of the attempt (UUID), or null.', { nullable: true }) latest_session_id!: string | null;
  @TextField('Executor of that session, or null.', { nullable: true, example: 'SHELL' }) latest_session_executor!:
    string | null;
  @ChecksStateField() checks_state!: CheckState | null;
}

export class ListAttemptsOutput extends PageOutput {
  @UuidField('Task id (UUID).') task_id!: string;
  @ListField('Attempts, newest first; ties are ordered by attempt_id.', () => AttemptOutput)
  attempts!: AttemptOutput[];
  @UuidField('Latest attempt of the task (UUID), or null.', { nullable: true }) latest_attempt_id!: string | null;
  @UuidField('Latest session of the latest attempt (UUID), or null.', { nullable: true }) latest_session_id!:
    string | null;
}

export class AttemptStatusInput extends AttemptTarget {
  @WaitField('for another state than while_state, or an approval.')
  wait_ms?: number;
  @EnumField(`State to wait in: ${attemptStates.join(', ')}. Default running.`, attemptStates, {
    optional: true,
    default: 'running',
    example: 'running',
  })
  while_state?: AttemptState;
  @UuidField('Approval (UUID) to wait for, too: one that you have seen.', { optional: true })
  while_approval?: string;
}

export class PendingApprovalOutput {
  @UuidField('Approval id (UUID).') approval_id!: string;
  @TextField('What is to be done, in one line.', { example: 'rm -r build' }) summary!: string;
  @TimeField('When it expires and is denied (RFC 3339); null if it does not.', { nullable: true })
  expires_at!: string | null;
}

const ApprovalField = () =>
  ObjectField(
    'The oldest request that waits for a person, of the agent or for a delivery; or null. answer_approval of ' +
      '/mcp/approvals answers it, or the page.',
    () => PendingApprovalOutput,
    { nullable: true, example: null },
  );
const LastOutputField = () =>
  TextField('Last lines of the latest run, standard error included, at most 1 KB; or null.', {
    nullable: true,
    example: 'Added /healthz.',
  });

export class PlanStepOutput {
  @TextField('What is to be done.', { example: 'Add a test.' }) content!: string;
  @TextField('State, mostly pending, in_progress or completed.', { example: 'in_progress' }) status!: string;
}

export class WaitingReason {
  @EnumField(
    'One of no_runner (none with its executor lives), no_runner_with_label, no_place, project_cap, executor_cap, ' +
      'home_draining.',
    waitingCodes,
    { example: 'no_runner_with_label' },
  )
  code!: (typeof waitingCodes)[number];
  @TextField('The label that is missing, with no_runner_with_label; else null.', { nullable: true, example: 'java21' })
  label!: string | null;
}

export class AttemptStatusOutput extends AttemptOutput {
  @UuidField('Task of the attempt (UUID).') task_id!: string;
  @UuidField('Latest execution of the attempt, excluding dev servers (UUID), or null.', { nullable: true })
  latest_execution_process_id!: string | null;
  @EnumField(
    'What that execution runs: setupscript, codingagent, cleanupscript, check or review; null before the first.',
    ['setupscript', 'codingagent', 'cleanupscript', 'check', 'review'],
    { nullable: true, example: 'codingagent' },
  )
  run_reason!: string | null;
  @TimeField('Time of the last output, start or end (RFC 3339), or null.', { nullable: true })
  last_activity_at!: string | null;
  @TextField('Why the attempt failed, or null.', { nullable: true, example: null }) failure_summary!: string | null;
  @EnumField('stop if it failed because somebody stopped it; else null.', ['stop'], { nullable: true, example: null })
  ended_by!: 'stop' | null;
  @TextField('Final message of the agent, or null.', { nullable: true, example: 'Added /healthz.' }) final_message!:
    string | null;
  @LastOutputField() last_output!: string | null;
  @ListField('The newest plan of the agent, its first 50 steps; or null.', () => PlanStepOutput, { nullable: true })
  plan!: PlanStepOutput[] | null;
  @BoolField('True from a stop request until the run ends.', { example: false }) is_stopping!: boolean;
  @BoolField('True if a follow-up message is queued behind the run.', { example: false })
  has_queued_message!: boolean;
  @IntField('Place of the run in the queue, 1 is next, 1000 means at least that; null if it does not wait.', {
    nullable: true,
    example: null,
  })
  queue_position!: number | null;
  @ObjectField('Why it waits, or null.', () => WaitingReason, { nullable: true })
  waiting_reason!: WaitingReason | null;
  @ApprovalField() approval!: PendingApprovalOutput | null;
  @DeliveryStateField() delivery_state!: string;
  @PullRequestUrlField() pr_url!: string | null;
  @UsageField('What its agents say they have used.') usage!: UsageOutput | null;
}

export const MAX_AWAITED = 50;
const awaitable = ['any', 'all'] as const;

export class WaitForAttemptsInput {
  @UuidListField(`Attempts (UUIDs), 1 to ${MAX_AWAITED}.`, {
    minItems: 1,
    example: ['0198c0de-0000-7000-8000-000000000004'],
  })
  attempt_ids!: string[];
  @EnumField('Until any or all no longer run. Default any.', awaitable, {
    optional: true,
    default: 'any',
    example: 'any',
  })
  until?: (typeof awaitable)[number];
  @WaitField('for that. Default 20000.', { default: 20_000 })
  wait_ms?: number;
}

export class AwaitedAttemptOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @EnumField(`State of the attempt: ${STATE_WORDS}.`, attemptStates, { example: 'completed' }) state!: AttemptState;
  @ApprovalField() approval!: PendingApprovalOutput | null;
  @TextField('Why the attempt failed, or null.', { nullable: true, example: null }) failure_summary!: string | null;
  @LastOutputField() last_output!: string | null;
  @IntField('Files changed, as counted after the last turn; null before. Integer.', { nullable: true, example: 2 })
  files!: number | null;
  @IntField('Lines added. Integer or null.', { nullable: true, example: 40 }) added!: number | null;
  @IntField('Lines deleted. Integer or null.', { nullable: true, example: 3 }) deleted!: number | null;
  @DeliveryStateField() delivery_state!: string;
}

export class WaitForAttemptsOutput {
  @ListField('The attempts, in the order asked for.', () => AwaitedAttemptOutput) attempts!: AwaitedAttemptOutput[];
  @UuidListField('Those that no longer run (UUIDs).', { example: ['0198c0de-0000-7000-8000-000000000004'] })
  done!: string[];
  @BoolField('True if the time was over first.', { example: false }) timed_out!: boolean;
}

export class ContextInput {}

export class ContextRepoOutput {
  @UuidField('Repository id (UUID).') repo_id!: string;
  @TextField('Name of the repository.', { example: 'web-shop' }) repo_name!: string;
  @TextField('Branch the attempt started from.', { example: 'main' }) target_branch!: string;
}

export class ContextOutput {
  @UuidField('Project id (UUID).') project_id!: string;
  @TextField('Name of the project.', { example: 'Web shop' }) project_name!: string;
  @UuidField('Task id (UUID).') task_id!: string;
  @TextField('Title of the task.', { example: 'Add a health check' }) task_title!: string;
  @EnumField('Status of the task: one of todo, inprogress, inreview, done, cancelled.', taskStatuses, {
    example: 'inprogress',
  })
  task_status!: string;
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @TextField('Git branch of the attempt.', { example: 'ty/1f0c9d2e-add-a-health-check' }) workspace_branch!: string;
  @ListField('Repositories of the attempt.', () => ContextRepoOutput) workspace_repos!: ContextRepoOutput[];
}
