import { ReplayedField } from '../idempotency/idempotency.dto.js';
import { MAX_TIMEOUT_SECS } from '../config/variables.js';
import { canonicalExecutor, canonicalVariant } from '../executors/executor-names.js';
import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  TextField,
  UuidField,
  UuidListField,
} from '../platform/fields/fields.js';
import { capped } from '../platform/fields/formats.js';
import { ExactlyOne, Modes } from '../platform/fields/mode-rules.js';
import { QueueFields } from '../sessions/queue.dto.js';
import { SessionOrAttempt, VariantField } from '../sessions/session.dto.js';
import { ParentField } from '../tasks/parent-fields.js';
import { NewTaskInput, RequestIdField, TaskIdField } from '../tasks/task.dto.js';
import { type AttemptState, attemptStates, AttemptTarget } from '../attempts/attempt.dto.js';

const EXECUTOR = 'Executor, from list_executors.';
const VariantChoice = () =>
  TextField('Its variant.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    normalise: canonicalVariant,
    example: 'PLAN',
  });
const PromptChoice = () =>
  TextField('Instead of title and description of the task.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: 'Add /healthz and a test for it.',
  });

const TimeoutChoice = () =>
  IntField('Seconds until the run fails, at most a week.', {
    optional: true,
    minimum: 1,
    normalise: capped(MAX_TIMEOUT_SECS),
    example: 3600,
  });

export class CreateTaskInput extends NewTaskInput {
  @ParentField() parent_task_id?: string;
  @TextField('Starts an attempt with this executor at once.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    normalise: canonicalExecutor,
    example: 'SHELL',
  })
  executor?: string;
  @TextField('Only with executor: its variant.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    normalise: canonicalVariant,
    example: 'PLAN',
  })
  variant?: string;
  @TextField('Only with executor: branch to start from.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: 'main',
  })
  target_branch?: string;
}

export class AttemptRepoChoice {
  @UuidField('Repository id (UUID).') repo_id!: string;
  @TextField('Branch to start from.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: 'main',
  })
  target_branch?: string;
}

const ReposChoice = () =>
  ListField('Repositories to work in. Default: all.', () => AttemptRepoChoice, { optional: true, minItems: 1 });

export class StartAttemptInput {
  @TaskIdField() task_id!: string;
  @TextField(EXECUTOR, { nonBlank: true, normalise: canonicalExecutor, example: 'SHELL' }) executor!: string;
  @VariantChoice() variant?: string;
  @ReposChoice() repos?: AttemptRepoChoice[];
  @PromptChoice() prompt?: string;
  @TimeoutChoice() timeout_secs?: number;
  @RequestIdField() request_id?: string;
}

/** Over REST the executor is optional: without one the worktrees are prepared and nothing runs. */
export class CreateAttemptInput {
  @TaskIdField() task_id!: string;
  @TextField(`${EXECUTOR} If omitted, the worktrees are prepared and nothing runs.`, {
    optional: true,
    nonBlank: true,
    normalise: canonicalExecutor,
    example: 'SHELL',
  })
  executor?: string;
  @VariantChoice() variant?: string;
  @ReposChoice() repos?: AttemptRepoChoice[];
  @PromptChoice() prompt?: string;
  @TimeoutChoice() timeout_secs?: number;
  @RequestIdField() request_id?: string;
}

export class StartedAttemptOutput {
  @UuidField('Task id (UUID).') task_id!: string;
  @UuidField('Id of the new attempt (UUID); pass it to get_attempt_status.') attempt_id!: string;
  @TextField('Git branch of the attempt.', { example: 'ty/1f0c9d2e-add-a-health-check' }) workspace_branch!: string;
  @UuidField('Session of the attempt (UUID), or null without an executor.', { nullable: true }) session_id!:
    string | null;
  @UuidField('First execution (UUID), or null without an executor.', { nullable: true }) execution_process_id!:
    string | null;
  @ReplayedField() replayed?: boolean;
}

export class CreateSessionInput extends AttemptTarget {
  @TextField(EXECUTOR, { nonBlank: true, normalise: canonicalExecutor, example: 'SHELL' }) executor!: string;
  @VariantChoice() variant?: string;
  @PromptChoice() prompt?: string;
  @TimeoutChoice() timeout_secs?: number;
  @RequestIdField() request_id?: string;
}

export class CreatedSessionOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @UuidField('Id of the new session (UUID).') session_id!: string;
  @UuidField('First execution (UUID).') execution_process_id!: string;
  @ReplayedField() replayed?: boolean;
}

const followUpActions = ['send', 'queue', 'cancel'] as const;
export type FollowUpAction = (typeof followUpActions)[number];
const STOP =
  'To stop the running agent, call {op:stop_attempt} with attempt_id; ' +
  'follow_up only sends, queues or cancels messages.';

const message = { require: ['prompt'], instead: { prompt: ['resolve', 'comment_ids'] } };
const nothingToSay = ['prompt', 'resolve', 'comment_ids', 'include_untrusted', 'variant', 'request_id'];

@Modes('action', { send: message, queue: message, cancel: { forbid: nothingToSay } })
@ExactlyOne('attempt_id', 'session_id')
export class FollowUpInput extends SessionOrAttempt {
  @EnumField(
    'send: now; queue: after what runs or waits, if that succeeds; cancel: drop what waits.',
    followUpActions,
    { example: 'send', redirects: { stop: STOP, kill: STOP, interrupt: STOP, abort: STOP } },
  )
  action!: FollowUpAction;
  @TextField('Message for the agent.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: 'Also add a test.',
  })
  prompt?: string;
  @BoolField('True asks the agent to resolve conflicts of an update.', {
    optional: true,
    example: true,
    normalise: (value) => (value === false ? undefined : value),
  })
  resolve?: boolean;
  @UuidListField('Comments (UUIDs) to quote, on the changes or a pull request.', {
    optional: true,
    minItems: 1,
    example: ['0198c0de-0000-7000-8000-000000000011'],
  })
  comment_ids?: string[];
  @BoolField('True also quotes authors without write access.', {
    optional: true,
    example: false,
    normalise: (value) => (value === false ? undefined : value),
  })
  include_untrusted?: boolean;
  @VariantField() variant?: string;
  @RequestIdField() request_id?: string;
}

export class FollowUpOutput extends QueueFields {
  @UuidField('Session of the message (UUID).') session_id!: string;
  @EnumField('Action performed: send, queue or cancel.', followUpActions, { example: 'send' }) action!: FollowUpAction;
  @UuidField('Execution that was started (UUID), or null if none was.', { nullable: true }) execution_process_id!:
    string | null;
  @ReplayedField() replayed?: boolean;
}

export class RetryInput extends AttemptTarget {
  @RequestIdField() request_id?: string;
}

export class RetryOutput {
  @UuidField('Session whose last message runs again (UUID).') session_id!: string;
  @UuidField('Execution that was started (UUID).') execution_process_id!: string;
  @ReplayedField() replayed?: boolean;
}

export class StopAttemptInput extends AttemptTarget {
  @BoolField('True kills it instead of asking it to stop.', {
    optional: true,
    default: false,
    example: false,
  })
  force?: boolean;
}

export class StopAttemptOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @BoolField('True if the agent was killed immediately.', { example: false }) force!: boolean;
  @BoolField('True if a live run has ended; false if nothing was running or it is still ending.', { example: true })
  stopped!: boolean;
  @BoolField('True if the run is still ending; call again with force=true to kill it.', { example: false })
  is_stopping!: boolean;
  @EnumField('Current state of the attempt: one of idle, running, completed, failed.', attemptStates, {
    example: 'failed',
  })
  state!: AttemptState;
  @UuidField('Execution that was live (UUID), or null.', { nullable: true }) execution_process_id!: string | null;
  @IntField('Queued messages that were dropped; nothing but a new message starts the attempt again. Integer.', {
    example: 0,
  })
  dropped_messages!: number;
}
