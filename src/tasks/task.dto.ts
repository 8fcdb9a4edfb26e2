import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  ObjectField,
  TextField,
  TextListField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';
import { PageInput, PageOutput } from '../platform/fields/paging.js';
import { type TaskflowStatus, taskflowStatuses } from './taskflow-status.js';
import { canonicalStatus, type Stage, stages, type TaskStatus, taskStatuses } from './task-stage.js';

const STATUS_WORDS = 'one of todo, inprogress, inreview, done, cancelled';
export const TaskIdField = () => UuidField('Task id (UUID), from list_tasks or create_task.');
/** As HTTP does with the header that carries it. */
const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);
export const RequestIdField = () =>
  TextField(
    'Idempotency key (1 to 128 characters). ' +
      'A retry with the same key and arguments answers the first result and does nothing twice.',
    {
      optional: true,
      nonBlank: true,
      maxLength: 128,
      blankIsAbsent: true,
      normalise: trimmed,
      example: 'create-task-7f3a',
    },
  );
const StatusField = (description: string, options: { optional?: boolean } = {}) =>
  EnumField(`${description}: ${STATUS_WORDS}.`, taskStatuses, {
    ...options,
    normalise: canonicalStatus,
    example: 'todo',
  });

export class TaskTarget {
  @TaskIdField() task_id!: string;
}

export class ListTasksInput extends PageInput {
  @UuidField('Project id (UUID), from list_projects.') project_id!: string;
  @StatusField('Only tasks in this status', { optional: true }) status?: TaskStatus;
}

export class CreateTaskInput {
  @UuidField('Project id (UUID), from list_projects.') project_id!: string;
  @TextField('Title of the task, at least one visible character.', { nonBlank: true, example: 'Add a health check' })
  title!: string;
  @TextField('What is to be done, as the agent will read it.', { optional: true, example: 'Answer 200 at /healthz.' })
  description?: string;
  @RequestIdField() request_id?: string;
}

const PriorityField = (options: { nullClears?: boolean; nullable?: boolean }) =>
  TextField(
    'Priority in your own words, at most 64 characters; low, medium, high and critical are understood everywhere.',
    { optional: true, blankIsAbsent: true, ...options, example: 'high' },
  );
const TagsField = () => TextListField('Tags.', { optional: true, example: ['backend'] });

/** What REST takes for a new task. */
export class TaskFields {
  @TextField('Title of the task, at least one visible character.', { nonBlank: true, example: 'Add a health check' })
  title!: string;
  @TextField('What is to be done.', { optional: true, nullable: true, example: 'Answer 200 at /healthz.' })
  description?: string | null;
  @PriorityField({ nullable: true }) priority?: string;
  @TagsField() tags?: string[];
  @TimeField('When it is due (RFC 3339).', { optional: true, nullable: true }) due_date?: string;
  @RequestIdField() request_id?: string;
}

export class AddTaskInput extends TaskFields {
  @UuidField('Project id (UUID), from list_projects.') project_id!: string;
}

export class UpdateTaskInput extends TaskTarget {
  @TextField('New title, at least one visible character.', {
    optional: true,
    nonBlank: true,
    example: 'Add a health check',
  })
  title?: string;
  @TextField('New description; an empty text clears it.', { optional: true, example: 'Answer 200 at /healthz.' })
  description?: string;
  @StatusField('New status', { optional: true }) status?: TaskStatus;
}

/** REST may also set the exact stage, and what only some dialects know. */
export class PutTaskInput extends TaskTarget {
  @TextField('New title, at least one visible character.', {
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
  @StatusField('New status', { optional: true }) status?: TaskStatus;
  @EnumField(`Exact stage: one of ${stages.join(', ')}. Wins over status.`, stages, { optional: true, example: 'PLAN' })
  stage?: Stage;
  @PriorityField({ nullClears: true }) priority?: string | null;
  @TagsField() tags?: string[];
  @TimeField('When it is due (RFC 3339); null clears it.', { optional: true, nullClears: true }) due_date?:
    string | null;
}

/** What is known of a task's attempts; of the newest attempt by created_at, then by smaller attempt_id. */
export class AttemptSummaryFields {
  @UuidField('Newest attempt of the task (UUID), or null.', { nullable: true }) latest_attempt_id!: string | null;
  @TextField('Branch of the newest attempt, or null.', { nullable: true, example: 'ty/1f0c9d2e-add-a-health-check' })
  latest_workspace_branch!: string | null;
  @UuidField('Newest session of that attempt (UUID), or null.', { nullable: true }) latest_session_id!: string | null;
  @TextField('Executor of that session, from list_executors, or null.', { nullable: true, example: 'SHELL' })
  latest_session_executor!: string | null;
  @BoolField('True while a run of any attempt of the task is live.', { example: false })
  has_in_progress_attempt!: boolean;
  @BoolField('True when the newest attempt ended failed or was stopped.', { example: false })
  last_attempt_failed!: boolean;
}

export class TaskRowOutput extends AttemptSummaryFields {
  @UuidField('Task id (UUID).') task_id!: string;
  @TextField('Title of the task.', { example: 'Add a health check' }) title!: string;
  @StatusField('Status') status!: TaskStatus;
  @BoolField('True when somebody marked the task as blocked.', { example: false }) is_blocked!: boolean;
  @TimeField('When it was created (RFC 3339).') created_at!: string;
  @TimeField('When it was last changed (RFC 3339).') updated_at!: string;
}

export class TaskOutput extends TaskRowOutput {
  @UuidField('Project of the task (UUID), or null.', { nullable: true }) project_id!: string | null;
  @TextField('What is to be done, or null.', { nullable: true, example: 'Answer 200 at /healthz.' }) description!:
    string | null;
  @EnumField(`Exact stage: one of ${stages.join(', ')}.`, stages, { example: 'INIT' }) stage!: Stage;
  @EnumField(`Status in TaskFlow's words: one of ${taskflowStatuses.join(', ')}.`, taskflowStatuses, {
    example: 'pending',
  })
  taskflow_status!: TaskflowStatus;
  @UuidField('Task it belongs below (UUID), or null.', { nullable: true }) parent_task_id!: string | null;
  @UuidField('Worker it is assigned to (UUID), or null.', { nullable: true }) assignee_id!: string | null;
  @TextField('Handle of that worker, or an assignee in free words, or null.', { nullable: true, example: '@ada' })
  assignee!: string | null;
  @TextField('Priority as it was written, or null.', { nullable: true, example: 'high' }) priority!: string | null;
  @IntField('Progress in percent. Whole number.', { example: 0 }) progress_percent!: number;
  @TextListField('Tags.', { example: ['backend'] }) tags!: string[];
  @TimeField('When it is due (RFC 3339), or null.', { nullable: true }) due_date!: string | null;
  @TimeField('When work first began (RFC 3339), or null.', { nullable: true }) started_at!: string | null;
  @TimeField('When it was completed (RFC 3339), or null.', { nullable: true }) completed_at!: string | null;
}

export class AppliedFilters {
  @StatusField('Status that was asked for; absent when none was', { optional: true }) status?: TaskStatus;
  @IntField('How many were answered at most, after the cap. Whole number.', { example: 50 }) limit!: number;
}

export class ListTasksOutput extends PageOutput {
  @UuidField('Project id (UUID).') project_id!: string;
  @ObjectField('The filters that were applied.', () => AppliedFilters) applied_filters!: AppliedFilters;
  @ListField('Tasks of the project, newest first.', () => TaskRowOutput) tasks!: TaskRowOutput[];
}

export class CreatedTaskOutput {
  @UuidField('The new task (UUID); pass it to start_task_attempt.') task_id!: string;
}

export class OneTaskOutput {
  @ObjectField('The task.', () => TaskOutput) task!: TaskOutput;
}

export class DeletedTaskOutput {
  @UuidField('The task that was deleted (UUID).') deleted_task_id!: string;
}
