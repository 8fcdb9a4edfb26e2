import { MAX_TIMEOUT_SECS } from '../config/variables.js';
import { canonicalExecutor, canonicalVariant } from '../executors/executor-catalogue.js';
import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  ObjectField,
  TextField,
  UuidField,
  UuidListField,
} from '../platform/fields/fields.js';
import { capped } from '../platform/fields/formats.js';
import { ExactlyOne, Modes } from '../platform/fields/mode-rules.js';
import { QueuedMessageOutput, SessionOrAttempt, VariantField } from '../sessions/session.dto.js';
import { RequestIdField, TaskIdField } from '../tasks/task.dto.js';
import { type AttemptState, attemptStates, AttemptTarget } from '../attempts/attempt.dto.js';

const EXECUTOR = 'Executor to run, from list_executors.';
const VariantChoice = () =>
  TextField('Variant of the executor, from list_executors. Default: its default_variant.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    normalise: canonicalVariant,
    example: 'PLAN',
  });
const PromptChoice = () =>
  TextField('Prompt for the agent, instead of the title and description of the task.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: 'Add /healthz and a test for it.',
  });

const TimeoutChoice = () =>
  IntField(
    `Maximum run time in seconds; a run that exceeds it fails. Integer, at least 1; more than ${MAX_TIMEOUT_SECS} ` +
      '(a week) is capped. Default: EXECUTION_TIMEOUT_SECS of the server.',
    {
      optional: true,
      minimum: 1,
      normalise: capped(MAX_TIMEOUT_SECS),
      example: 3600,
    },
  );

export class AttemptRepoChoice {
  @UuidField('Repository id (UUID), from list_repos.') repo_id!: string;
  @TextField('Branch to start from. Default: default_target_branch of the repository.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: 'main',
  })
  target_branch?: string;
}

const ReposChoice = () =>
  ListField(
    'Repositories to work in. Default: all repositories of the project, each from its default branch.',
    () => AttemptRepoChoice,
    { optional: true, minItems: 1 },
  );

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
    'send: run the prompt now; queue: run it after the current run succeeds; cancel: drop the queued message.',
    followUpActions,
    { example: 'send', redirects: { stop: STOP, kill: STOP, interrupt: STOP, abort: STOP } },
  )
  action!: FollowUpAction;
  @TextField('Message for the agent, at least one visible character.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: 'Also add a test.',
  })
  prompt?: string;
  @BoolField('True asks the agent to resolve the conflicts of the update in progress; prompt may be added.', {
    optional: true,
    example: true,
    normalise: (value) => (value === false ? undefined : value),
  })
  resolve?: boolean;
  @UuidListField('Comments of reviewers to quote to the agent, from get_pull_request; prompt may be added.', {
    optional: true,
    minItems: 1,
    example: ['0198c0de-0000-7000-8000-000000000011'],
  })
  comment_ids?: string[];
  @BoolField('True also quotes comments of authors who may not write to the repository. Default false.', {
    optional: true,
    example: false,
    normalise: (value) => (value === false ? undefined : value),
  })
  include_untrusted?: boolean;
  @VariantField() variant?: string;
  @RequestIdField() request_id?: string;
}

export class FollowUpOutput {
  @UuidField('Session of the message (UUID).') session_id!: string;
  @EnumField('Action performed: send, queue or cancel.', followUpActions, { example: 'send' }) action!: FollowUpAction;
  @UuidField('Execution that was started (UUID), or null if none was.', { nullable: true }) execution_process_id!:
    string | null;
  @EnumField('Queue of the session: queued if a message is waiting, otherwise empty.', ['empty', 'queued'], {
    example: 'empty',
  })
  status!: 'empty' | 'queued';
  @ObjectField('The queued message, or null.', () => QueuedMessageOutput, { nullable: true, example: null })
  queued_message!: QueuedMessageOutput | null;
}

export class StopAttemptInput extends AttemptTarget {
  @BoolField('True kills the agent immediately instead of asking it to stop. Default false.', {
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
}
