import { EnumField, IntField, TextField, UuidField } from '../platform/fields/fields.js';
import { ExactlyOne } from '../platform/fields/mode-rules.js';
import { PageInput } from '../platform/fields/paging.js';
import { canonicalHandle } from '../workers/worker.dto.js';
import { taskflowWord } from './status-words.js';
import { TaskFields, TaskTarget } from './task.dto.js';
import { type TaskflowStatus, taskflowStatuses } from './taskflow-status.js';

export class SubtaskInput extends TaskFields {
  @UuidField('The parent task (UUID).') task_id!: string;
}

export class MoveInput extends TaskTarget {
  @EnumField(
    `New status, in the words of taskflow_status: one of ${taskflowStatuses.join(', ')}; only transitions of the ` +
      'workflow are allowed.',
    taskflowStatuses,
    { example: 'in_progress', normalise: taskflowWord },
  )
  status!: TaskflowStatus;
}

@ExactlyOne('assignee_id', 'assignee_handle')
export class AssignInput extends TaskTarget {
  @UuidField('Worker to assign (UUID); null: nobody.', { optional: true, nullClears: true }) assignee_id?:
    string | null;
  @TextField('Handle of the worker to assign.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    normalise: canonicalHandle,
    example: '@ada',
  })
  assignee_handle?: string;
}

export class ProgressInput extends TaskTarget {
  @IntField('Progress in percent, from 0 to 100. Integer.', { minimum: 0, maximum: 100, example: 40 }) percent!: number;
  @TextField('What was done.', { optional: true, blankIsAbsent: true, example: 'The route answers.' }) note?: string;
}

export class RejectInput extends TaskTarget {
  @TextField('Why the task is rejected.', { nonBlank: true, example: 'A test is missing.' }) reason!: string;
}

export class TaskAuditInput extends PageInput {
  @UuidField('Task id (UUID).') task_id!: string;
}
