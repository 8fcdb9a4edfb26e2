import { UsageOutput } from '../executors/usage.dto.js';
import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  ObjectField,
  TextField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';
import { PageInput, PageOutput } from '../platform/fields/paging.js';
import { DeliveryStateField, PullRequestUrlField, TaskIdField } from '../tasks/task.dto.js';
import { taskStatuses } from '../tasks/task-stage.js';

export const attemptStates = ['idle', 'running', 'completed', 'failed'] as const;
export type AttemptState = (typeof attemptStates)[number];
const waitingReasons = ['no_runner', 'no_place', 'project_cap', 'executor_cap', 'home_draining'] as const;
export type WaitingReason = (typeof waitingReasons)[number];
const STATE_WORDS = 'one of idle (nothing has run yet), running, completed, failed (also after a stop)';

export const AttemptIdField = (options: { optional?: boolean } = {}) =>
  UuidField('Attempt id (UUID), from start_task_attempt or list_task_attempts.', options);

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
  @IntField('Wait up to this many milliseconds (at most 30000) for the state to differ from while_state.', {
    optional: true,
    minimum: 0,
    example: 20000,
  })
  wait_ms?: number;
  @EnumField(`State during which wait_ms waits: ${STATE_WORDS}. Default running.`, attemptStates, {
    optional: true,
    default: 'running',
    example: 'running',
  })
  while_state?: AttemptState;
}

export class AttemptStatusOutput extends AttemptOutput {
  @UuidField('Task of the attempt (UUID).') task_id!: string;
  @UuidField('Latest execution of the attempt, excluding dev servers (UUID), or null.', { nullable: true })
  latest_execution_process_id!: string | null;
  @EnumField(
    'What that execution runs: setupscript, codingagent or cleanupscript; null before the first.',
    ['setupscript', 'codingagent', 'cleanupscript'],
    { nullable: true, example: 'codingagent' },
  )
  run_reason!: string | null;
  @TimeField('Time of the last output, start or end (RFC 3339), or null.', { nullable: true })
  last_activity_at!: string | null;
  @TextField('Why the attempt failed, or null.', { nullable: true, example: null }) failure_summary!: string | null;
  @TextField('Final message of the agent, or null.', { nullable: true, example: 'Added /healthz.' }) final_message!:
    string | null;
  @BoolField('True from a stop request until the run ends.', { example: false }) is_stopping!: boolean;
  @BoolField('True if a follow-up message is queued behind the run.', { example: false })
  has_queued_message!: boolean;
  @IntField('Place of the run in the queue, 1 is next, 1000 means at least that; null if it does not wait.', {
    nullable: true,
    example: null,
  })
  queue_position!: number | null;
  @EnumField(
    'Why it waits: no_runner (none with its executor lives), no_place, project_cap, executor_cap or home_draining; ' +
      'or null.',
    waitingReasons,
    { nullable: true, example: null },
  )
  waiting_reason!: WaitingReason | null;
  @BoolField('True while the agent waits for an answer to an approval request.', { example: false })
  waiting_for_approval!: boolean;
  @DeliveryStateField() delivery_state!: string;
  @PullRequestUrlField() pr_url!: string | null;
  @ObjectField('What its agents say they have used.', () => UsageOutput) usage!: UsageOutput;
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
