import { ReplayedField } from '../../idempotency/idempotency.dto.js';
import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  TextField,
  TextListField,
  TimeField,
  UuidField,
} from '../../platform/fields/fields.js';
import { ErrorEnvelope } from '../../platform/errors/error-envelope.js';
import { NextField } from '../../platform/errors/wording.js';
import { ExactlyOne } from '../../platform/fields/mode-rules.js';
import { RequestIdField } from '../../tasks/task.dto.js';
import { taskflowWord } from '../../tasks/status-words.js';
import { type TaskflowStatus, taskflowStatuses } from '../../tasks/taskflow-status.js';
import { canonicalHandle } from '../../workers/worker.dto.js';

/** Every tool acts on behalf of a user of the calling system, or of a worker. */
export class ActingUser {
  @TextField('Acting user: its id in the calling system, or the id or handle of a worker.', {
    nonBlank: true,
    maxLength: 200,
    example: 'auth0|42',
  })
  user_id!: string;
}

export class UserTask extends ActingUser {
  @UuidField('UUID from taskflow_list_tasks.') task_id!: string;
}

export class AddTaskflowTask extends ActingUser {
  @UuidField('UUID from taskflow_list_projects.') project_id!: string;
  @TextField('Title of the task.', { nonBlank: true, maxLength: 200, example: 'Add a health check' })
  title!: string;
  @TextField('What needs to be done.', {
    optional: true,
    maxLength: 2000,
    example: 'Answer 200 at /healthz.',
  })
  description?: string;
  @RequestIdField() request_id?: string;
}

export class ListTaskflowTasks extends ActingUser {
  @UuidField('UUID from taskflow_list_projects.') project_id!: string;
  @EnumField(
    `Only tasks with this status: all, ${taskflowStatuses.join(', ')}. Default all.`,
    ['all', ...taskflowStatuses],
    { optional: true, default: 'all', example: 'pending', normalise: taskflowWord },
  )
  status?: TaskflowStatus | 'all';
  @IntField('Default 50, capped at 100.', {
    optional: true,
    minimum: 1,
    default: 50,
  })
  limit?: number;
  @IntField('Tasks to skip.', { optional: true, minimum: 0, default: 0 }) offset?: number;
}

export class UpdateTaskflowTask extends UserTask {
  @TextField('New title.', {
    optional: true,
    nonBlank: true,
    maxLength: 200,
    example: 'Add a health check',
  })
  title?: string;
  @TextField('New description.', {
    optional: true,
    maxLength: 2000,
    example: 'Answer 200 at /healthz.',
  })
  description?: string;
}

@ExactlyOne('assignee_id', 'assignee_handle')
export class AssignTaskflowTask extends UserTask {
  @UuidField('Worker to assign (UUID).', { optional: true }) assignee_id?: string;
  @TextField('Handle of the worker to assign.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    normalise: canonicalHandle,
    example: '@ada',
  })
  assignee_handle?: string;
}

export class TaskflowProgress extends UserTask {
  @IntField('Progress in percent.', { minimum: 0, maximum: 100, example: 40 }) percent!: number;
  @TextField('What was done.', {
    optional: true,
    blankIsAbsent: true,
    maxLength: 500,
    example: 'The route answers.',
  })
  note?: string;
}

const outcomes = ['created', 'updated', 'deleted', 'assigned', ...taskflowStatuses];

/** `task_id` is part of refusals too, which strict clients validate against the same schema. */
export class ChangedTaskOutput {
  @TextField('Task id (UUID); in a refusal, the task_id that was passed, or null.', {
    nullable: true,
    example: '0198c0de-0000-7000-8000-000000000003',
  })
  task_id!: string | null;
  @EnumField(`What was done, or the new status of the task: one of ${outcomes.join(', ')}.`, outcomes, {
    example: 'in_progress',
  })
  status!: string;
  @TextField('Title of the task.', { example: 'Add a health check' }) title!: string;
  @IntField('Progress in percent. Integer.', { example: 0 }) progress_percent!: number;
  @ReplayedField() replayed?: boolean;
}

export class TaskflowRow {
  @UuidField('Task id (UUID).') id!: string;
  @TextField('Title of the task.', { example: 'Add a health check' }) title!: string;
  @EnumField(`Status: one of ${taskflowStatuses.join(', ')}.`, taskflowStatuses, { example: 'pending' })
  status!: string;
  @EnumField('Priority: low, medium, high or critical.', ['low', 'medium', 'high', 'critical'], { example: 'medium' })
  priority!: string;
  @IntField('Progress in percent. Integer.', { example: 0 }) progress_percent!: number;
  @TextField('Handle of the assignee, or null.', { nullable: true, example: '@ada' }) assignee_handle!: string | null;
  @TimeField('When it is due (RFC 3339), or null.', { nullable: true }) due_date!: string | null;
  @TextListField('Tags.', { example: [] }) tags!: string[];
  @IntField('Sequence number of the task. Integer.', { example: 7 }) task_number!: number;
}

export class TaskflowRows {
  @ListField('Tasks of the project, newest first.', () => TaskflowRow) result!: TaskflowRow[];
}

export class TaskflowProject {
  @UuidField('Project id (UUID).') id!: string;
  @TextField('Name of the project.', { example: 'Web shop' }) name!: string;
  @TextField('Short unique name.', { example: 'web-shop' }) slug!: string;
  @TextField('What the project is about, or null.', { nullable: true, example: null }) description!: string | null;
  @IntField('Number of tasks. Integer.', { example: 3 }) task_count!: number;
  @IntField('Number of members. Integer.', { example: 2 }) member_count!: number;
}

export class TaskflowProjects {
  @ListField('Projects the user may write in, newest first.', () => TaskflowProject) result!: TaskflowProject[];
  @TextField('What to do if there are none; absent otherwise.', { optional: true, example: 'Ask to be added.' })
  hint?: string | null;
  @NextField() next?: object;
}

/** A refusal in this dialect: its own keys beside those of the common envelope. */
export class TaskflowFailure extends ErrorEnvelope {
  @BoolField('Always true in a refusal.', { example: true }) error!: boolean;
  @IntField('HTTP status of the refusal. Integer.', { example: 404 }) status_code!: number;
  @TextField('The task_id that was passed, or null.', { nullable: true, example: null }) task_id!: string | null;
}
