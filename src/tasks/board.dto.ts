import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  TextField,
  TextListField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';
import { QueryField } from '../platform/database/word-search.js';
import { LimitField } from '../platform/fields/paging.js';
import { type CheckState, ChecksStateField } from './checks-state.dto.js';
import { type Stage, stages, type TaskStatus, taskStatuses } from './task-stage.js';
import { ArchivedField, type DeliveryState, DeliveryStateField } from './task.dto.js';

/** Cards of a column. */
export const MAX_CARDS = 50;
const cardStates = ['idle', 'running', 'completed', 'failed'] as const;

/** Of the latest attempt of a task, as is how it ended. */
export const LatestStateField = () =>
  EnumField(`State of that attempt: one of ${cardStates.join(', ')}, or null.`, cardStates, {
    nullable: true,
    example: 'running',
  });
export const EndedByField = () =>
  EnumField('stop if that attempt failed because somebody stopped it; else null.', ['stop'], {
    nullable: true,
    example: null,
  });

const FilterField = (description: string, example: string) =>
  TextField(description, { optional: true, blankIsAbsent: true, maxLength: 500, example });

export class BoardInput {
  @UuidField('Project id (UUID).') project_id!: string;
  @QueryField('title and description') search?: string;
  @FilterField('Only tasks of this assignee: a handle, the id of a worker, or free text.', '@ada') assignee?: string;
  @FilterField('Only tasks with this priority.', 'high') priority?: string;
  @FilterField('Only tasks with this tag.', 'backend') tag?: string;
  @FilterField('Only tasks that this executor has worked on.', 'CODEX') executor?: string;
  @ArchivedField() archived?: boolean;
  @LimitField(MAX_CARDS, MAX_CARDS) limit?: number;
}

export class CardOutput {
  @UuidField('Task id (UUID).') task_id!: string;
  @TextField('Title of the task.', { example: 'Add a health check' }) title!: string;
  @EnumField('Status, that of its column.', taskStatuses, { example: 'inprogress' }) status!: TaskStatus;
  @EnumField(`Exact stage: one of ${stages.join(', ')}.`, stages, { example: 'APPLY' }) stage!: Stage;
  @BoolField('True if the task is marked as blocked.', { example: false }) is_blocked!: boolean;
  @UuidField('Parent task (UUID), or null.', { nullable: true }) parent_task_id!: string | null;
  @UuidField('Worker the task is assigned to (UUID), or null.', { nullable: true }) assignee_id!: string | null;
  @TextField('Handle of that worker, a free-text assignee, or null.', { nullable: true, example: '@ada' })
  assignee!: string | null;
  @TextField('Priority as entered, or null.', { nullable: true, example: 'high' }) priority!: string | null;
  @TextListField('Tags.', { example: ['backend'] }) tags!: string[];
  @IntField('Progress in percent. Integer.', { example: 0 }) progress_percent!: number;
  @TimeField('When it is due (RFC 3339), or null.', { nullable: true }) due_date!: string | null;
  @UuidField('Latest attempt of the task (UUID), or null.', { nullable: true }) latest_attempt_id!: string | null;
  @TextField('Executor of its latest session, or null.', { nullable: true, example: 'CODEX' }) executor!: string | null;
  @LatestStateField() state!: string | null;
  @EndedByField() ended_by!: 'stop' | null;
  @BoolField('True while its run waits for a runner.', { example: false }) is_queued!: boolean;
  @IntField('Its place in the queue, 1 is next, 1000 means at least that; null if it does not wait. Integer.', {
    nullable: true,
    example: null,
  })
  queue_position!: number | null;
  @DeliveryStateField() delivery_state!: DeliveryState;
  @ChecksStateField() checks_state!: CheckState | null;
  @IntField('Questions of agents on this task that wait for an answer. Integer.', { example: 0 })
  pending_approvals!: number;
  @IntField('Lines that the latest attempt has added, as last counted, or null. Integer.', {
    nullable: true,
    example: 12,
  })
  lines_added!: number | null;
  @IntField('Lines that it has deleted, or null. Integer.', { nullable: true, example: 3 })
  lines_deleted!: number | null;
  @TimeField('When the task was created (RFC 3339).') created_at!: string;
  @TimeField('When it was last changed (RFC 3339).') updated_at!: string;
}

export class BoardColumnOutput {
  @EnumField('Status of its tasks: one of todo, inprogress, inreview, done, cancelled.', taskStatuses, {
    example: 'todo',
  })
  status!: TaskStatus;
  @IntField('Number of all tasks that match, as far as they are counted. Integer.', { example: 120 }) count!: number;
  @BoolField('True if more match: with a filter, counting ends at 1 000 of the newest.', { example: false })
  has_more_matches!: boolean;
  @ListField('The newest of them.', () => CardOutput) cards!: CardOutput[];
}

export class BoardOutput {
  @UuidField('Project id (UUID).') project_id!: string;
  @ListField('The five columns, in the order of the work.', () => BoardColumnOutput) columns!: BoardColumnOutput[];
}
