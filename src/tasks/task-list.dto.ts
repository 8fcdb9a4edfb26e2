import { QueryField } from '../platform/database/word-search.js';
import {
  IntField,
  ListField,
  ObjectField,
  optionalFields,
  TextField,
  TextListField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';
import { PageInput, PageOutput } from '../platform/fields/paging.js';
import { ArchivedField, StatusField, TaskRowOutput } from './task.dto.js';
import type { TaskStatus } from './task-stage.js';

export class ListTasksInput extends PageInput {
  @UuidField('UUID from list_projects.') project_id!: string;
  @StatusField('Only these', { optional: true }) status?: TaskStatus;
  @QueryField('title and description') query?: string;
  @TextListField('Fields to return, such as task_id, title, status. Default: all.', {
    optional: true,
    minItems: 1,
    example: ['task_id', 'title', 'status'],
  })
  fields?: string[];
}

export class ListProjectTasksInput extends ListTasksInput {
  @ArchivedField() archived?: boolean;
}

export class ListedTaskOutput extends optionalFields(TaskRowOutput) {}

export class AppliedFilters {
  @StatusField('Requested status; absent if none was requested', { optional: true }) status?: TaskStatus;
  @TextField('Requested words; absent if none were requested.', { optional: true, example: 'health' }) query?: string;
  @IntField('Limit that was applied, after the cap. Integer.', { example: 50 }) limit!: number;
}

export class ListTasksOutput extends PageOutput {
  @UuidField('Project id (UUID).') project_id!: string;
  @ObjectField('The filters that were applied.', () => AppliedFilters) applied_filters!: AppliedFilters;
  @ListField('Tasks of the project, newest first, with the requested fields.', () => ListedTaskOutput)
  tasks!: ListedTaskOutput[];
}

/** Of deleted tasks that are listed. */
export const MAX_DELETED = 100;

export class RestorableTaskOutput {
  @UuidField('Task (UUID).') task_id!: string;
  @TextField('Title of the task.', { example: 'Add a health check' }) title!: string;
  @StatusField('Status it had, and has again once restored') status!: TaskStatus;
  @TimeField('When it was deleted (RFC 3339).') deleted_at!: string;
}

export class ListDeletedTasksOutput {
  @UuidField('Project id (UUID).') project_id!: string;
  @ListField(`Tasks that can be restored, deleted last first: the newest ${MAX_DELETED}.`, () => RestorableTaskOutput)
  tasks!: RestorableTaskOutput[];
}

export class ListSubtasksInput extends PageInput {
  @UuidField('The parent task (UUID).') task_id!: string;
}

export class ListSubtasksOutput extends PageOutput {
  @UuidField('The parent task (UUID).') task_id!: string;
  @ListField('Tasks directly below it, newest first.', () => TaskRowOutput) tasks!: TaskRowOutput[];
}
