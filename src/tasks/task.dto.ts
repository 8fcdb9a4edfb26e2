import { ReplayedField } from '../idempotency/idempotency.dto.js';
import { NewParentField, ParentField } from './parent-fields.js';
import { UsageField, type UsageOutput } from '../executors/usage.dto.js';
import {
  BoolField,
  EnumField,
  IntField,
  ObjectField,
  TextField,
  TextListField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';
import { type TaskflowStatus, taskflowStatuses } from './taskflow-status.js';
import { statusWord } from './status-words.js';
import { type CheckState, ChecksStateField } from './checks-state.dto.js';
import { type Stage, stages, type TaskStatus, taskStatuses } from './task-stage.js';

export const TaskIdField = () => UuidField('UUID from list_tasks.');
/** As HTTP does with the header that carries it. */
const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);
export const RequestIdField = () =>
  TextField('Idempotency key.', {
    optional: true,
    nonBlank: true,
    maxLength: 128,
    blankIsAbsent: true,
    normalise: trimmed,
    example: 'create-task-7f3a',
  });
export const StatusField = (description: string, options: { optional?: boolean } = {}) =>
  EnumField(`${description}: ${taskStatuses.join(', ')}.`, taskStatuses, {
    ...options,
    normalise: statusWord(taskStatuses),
    example: 'todo',
  });

/** Delivery states of an attempt. A repository is never running or failed. */
export const deliveryStates = [
  'none',
  'running',
  'failed',
  'ready',
  'conflicted',
  'updating',
  'pushed',
  'merged',
  'pr_open',
  'pr_queued',
  'pr_merged',
  'pr_closed',
  'partly_delivered',
] as const;
export type DeliveryState = (typeof deliveryStates)[number];
export const DELIVERY_WORDS =
  'one of none (no work), running, failed (work of a failed or stopped run), ready (a merge would land), conflicted, ' +
  'updating, pushed, merged, pr_open, pr_queued, pr_merged, pr_closed, partly_delivered';
export const DeliveryStateField = () =>
  EnumField(`Last known delivery state: ${DELIVERY_WORDS}; get_attempt_delivery reads it anew.`, deliveryStates, {
    example: 'ready',
  });
export const PullRequestUrlField = () =>
  TextField('URL of the newest pull request, or null.', { nullable: true, example: null });

export const ArchivedField = () =>
  BoolField('True returns archived tasks, in place of those of the board.', { optional: true, example: true });

export class TaskTarget {
  @TaskIdField() task_id!: string;
}

export class ArchiveTaskInput extends TaskTarget {
  @BoolField('False takes it back to the board. Default true.', { optional: true, default: true, example: true })
  archived?: boolean;
}

/** A new task, as every dialect takes it. */
export class NewTaskInput {
  @UuidField('UUID from list_projects.') project_id!: string;
  @TextField('Title of the task.', { nonBlank: true, example: 'Add a health check' })
  title!: string;
  @TextField('What needs to be done.', { optional: true, example: 'Answer 200 at /healthz.' })
  description?: string;
  @RequestIdField() request_id?: string;
}

const PriorityField = (options: { nullClears?: boolean; nullable?: boolean }) =>
  TextField('Priority as free text, at most 64 characters; every dialect understands low, medium, high and critical.', {
    optional: true,
    blankIsAbsent: true,
    ...options,
    example: 'high',
  });
const TagsField = () => TextListField('Tags.', { optional: true, example: ['backend'] });

/** What REST takes for a new task. */
export class TaskFields {
  @TextField('Title of the task.', { nonBlank: true, example: 'Add a health check' })
  title!: string;
  @TextField('What needs to be done.', { optional: true, nullable: true, example: 'Answer 200 at /healthz.' })
  description?: string | null;
  @PriorityField({ nullable: true }) priority?: string;
  @TagsField() tags?: string[];
  @TimeField('When it is due (RFC 3339).', { optional: true, nullable: true }) due_date?: string;
  @RequestIdField() request_id?: string;
}

export class AddTaskInput extends TaskFields {
  @UuidField('Project id (UUID).') project_id!: string;
  @ParentField() parent_task_id?: string;
}

export class UpdateTaskInput extends TaskTarget {
  @TextField('New title.', {
    optional: true,
    nonBlank: true,
    example: 'Add a health check',
  })
  title?: string;
  @TextField('New description; an empty text clears it.', { optional: true, example: 'Answer 200 at /healthz.' })
  description?: string;
  @StatusField('New status', { optional: true }) status?: TaskStatus;
  @NewParentField() parent_task_id?: string | null;
}

/** REST can also set the exact stage and fields that only some dialects have. */
export class PutTaskInput extends TaskTarget {
  @TextField('New title.', {
    optional: true,
    nonBlank: true,
    example: 'Add a health check',
  })
  title?: string;
  @TextField('New description; null or an empty text clears it.', {
    optional: true,
    nullClears: true,
    example: 'Answer 200 at /healthz.',
  })
  description?: string | null;
  @StatusField('New status, in the words of the board', { optional: true }) status?: TaskStatus;
  @EnumField(`Exact stage: one of ${stages.join(', ')}. Takes precedence over status.`, stages, {
    optional: true,
    example: 'PLAN',
  })
  stage?: Stage;
  @NewParentField() parent_task_id?: string | null;
  @PriorityField({ nullClears: true }) priority?: string | null;
  @TagsField() tags?: string[];
  @TimeField('When it is due (RFC 3339); null clears it.', { optional: true, nullClears: true }) due_date?:
    string | null;
  @TimeField(
    'Only if updated_at of the task still is this (RFC 3339); otherwise 409 task_changed with the task as it is.',
    {
      optional: true,
    },
  )
  expected_updated_at?: string;
}

/** Summary of a task's attempts. The latest is the newest by created_at, ties broken by the smaller attempt_id. */
export class AttemptSummaryFields {
  @UuidField('Latest attempt of the task (UUID), or null.', { nullable: true }) latest_attempt_id!: string | null;
  @TextField('Branch of the latest attempt, or null.', { nullable: true, example: 'ty/1f0c9d2e-add-a-health-check' })
  latest_workspace_branch!: string | null;
  @UuidField('Latest session of that attempt (UUID), or null.', { nullable: true }) latest_session_id!: string | null;
  @TextField('Executor of that session, from list_executors, or null.', { nullable: true, example: 'SHELL' })
  latest_session_executor!: string | null;
  @BoolField('True while any attempt of the task is running.', { example: false })
  has_in_progress_attempt!: boolean;
  @BoolField('True if the latest attempt failed or was stopped.', { example: false })
  last_attempt_failed!: boolean;
  @DeliveryStateField() delivery_state!: DeliveryState;
}

export class TaskRowOutput extends AttemptSummaryFields {
  @UuidField('Task (UUID).') task_id!: string;
  @TextField('Title of the task.', { example: 'Add a health check' }) title!: string;
  @StatusField('Status') status!: TaskStatus;
  @BoolField('True if the task is marked as blocked.', { example: false }) is_blocked!: boolean;
  @TimeField('When it was created (RFC 3339).') created_at!: string;
  @TimeField('When it was last changed (RFC 3339).') updated_at!: string;
  @PullRequestUrlField() pr_url!: string | null;
  @ChecksStateField() checks_state!: CheckState | null;
}

export class TaskOutput extends TaskRowOutput {
  @UuidField('Project of the task (UUID), or null.', { nullable: true }) project_id!: string | null;
  @TextField('What needs to be done, or null.', { nullable: true, example: 'Answer 200 at /healthz.' }) description!:
    string | null;
  @EnumField(`Exact stage: one of ${stages.join(', ')}.`, stages, { example: 'INIT' }) stage!: Stage;
  @EnumField(`Status in the TaskFlow dialect: one of ${taskflowStatuses.join(', ')}.`, taskflowStatuses, {
    example: 'pending',
  })
  taskflow_status!: TaskflowStatus;
  @UuidField('Parent task (UUID), or null.', { nullable: true }) parent_task_id!: string | null;
  @UuidField('Worker the task is assigned to (UUID), or null.', { nullable: true }) assignee_id!: string | null;
  @TextField('Handle of that worker, a free-text assignee, or null.', { nullable: true, example: '@ada' })
  assignee!: string | null;
  @TextField('Priority as entered, or null.', { nullable: true, example: 'high' }) priority!: string | null;
  @IntField('Progress in percent. Integer.', { example: 0 }) progress_percent!: number;
  @TextListField('Tags.', { example: ['backend'] }) tags!: string[];
  @TimeField('When it is due (RFC 3339), or null.', { nullable: true }) due_date!: string | null;
  @TimeField('When work started (RFC 3339), or null.', { nullable: true }) started_at!: string | null;
  @TimeField('When it was completed (RFC 3339), or null.', { nullable: true }) completed_at!: string | null;
  @TimeField('When it was archived (RFC 3339), or null.', { nullable: true }) archived_at!: string | null;
  @UsageField('What agents say they have used in all its attempts.') usage!: UsageOutput | null;
}

export class CreatedTaskOutput {
  @UuidField('Id of the new task (UUID); pass it to start_task_attempt.') task_id!: string;
  @UuidField('Its first attempt (UUID), if an executor was named.', { optional: true }) attempt_id?: string;
  @ReplayedField() replayed?: boolean;
}

export class AddedTaskOutput extends TaskOutput {
  @ReplayedField() replayed?: boolean;
}

export class OneTaskOutput {
  @ObjectField('The task.', () => TaskOutput) task!: TaskOutput;
}

export class DeletedTaskOutput {
  @UuidField('Task that was deleted (UUID).') deleted_task_id!: string;
  @TextListField(
    'Branches of its attempts whose work was not merged. Each stays in its repository, unless another branch holds ' +
      'its commits; uncommitted work is kept there under refs/taskyard/saved.',
    { example: [] },
  )
  unmerged_branches!: string[];
}
