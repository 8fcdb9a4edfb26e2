import { MAX_TIMEOUT_SECS } from '../config/environment.js';
import { canonicalExecutor, canonicalVariant } from '../executors/executor-catalogue.js';
import { IntField, ListField, TextField, UuidField } from '../platform/fields/fields.js';
import { capped } from '../platform/fields/storable.js';
import { RequestIdField, TaskIdField } from '../tasks/task.dto.js';
import { AttemptTarget } from '../attempts/attempt.dto.js';

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

export class StartAttemptInput {
  @TaskIdField() task_id!: string;
  @TextField(EXECUTOR, { nonBlank: true, normalise: canonicalExecutor, example: 'SHELL' }) executor!: string;
  @VariantChoice() variant?: string;
  @ListField(
    'Repositories to work in. Default: all repositories of the project, each from its default branch.',
    () => AttemptRepoChoice,
    { optional: true, minItems: 1 },
  )
  repos?: AttemptRepoChoice[];
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
  @ListField(
    'Repositories to work in. Default: all repositories of the project, each from its default branch.',
    () => AttemptRepoChoice,
    { optional: true, minItems: 1 },
  )
  repos?: AttemptRepoChoice[];
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
