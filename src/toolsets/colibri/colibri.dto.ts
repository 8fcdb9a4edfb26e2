import { ReplayedField } from '../../idempotency/idempotency.dto.js';
import { NextField } from '../../platform/errors/wording.js';
import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  ObjectField,
  RecordField,
  TextField,
  TextListField,
  TimeField,
  UuidField,
} from '../../platform/fields/fields.js';
import { OlderCursorField } from '../../platform/fields/paging.js';
import { RequestIdField } from '../../tasks/task.dto.js';
import { stageWord } from '../../tasks/status-words.js';
import { type Stage, stages } from '../../tasks/task-stage.js';
import { ThoughtOutput } from '../../thoughts/thought.dto.js';
import { type ThoughtType, thoughtTypes } from '../../thoughts/thought-record.entity.js';

/** Specification 4 refuses a larger `limit` of task_list. */
const MAX_LISTED = 500;
const STAGE_WORDS = `one of ${stages.join(', ')}`;
const Project = () =>
  TextField('Project, by id or slug; null for no project.', {
    optional: true,
    nullClears: true,
    nonBlank: true,
    example: 'web-shop',
  });
const Clearable = (description: string, example: string) =>
  TextField(description, { optional: true, nullClears: true, example });
const Description = () => Clearable('What needs to be done, or null.', 'Answer 200 at /healthz.');
const Priority = () => Clearable('Priority as free text, at most 64 characters, or null.', 'high');
const Assignee = () =>
  Clearable('Assignee, as free text or the handle of a worker, at most 255 characters, or null.', '@ada');
const Status = (options: { optional: boolean }) =>
  EnumField(`Stage: ${STAGE_WORDS}.`, stages, {
    ...options,
    blankIsAbsent: false,
    normalise: stageWord,
    example: 'INIT',
  });

export class ColibriCreate {
  @TextField('Title, at least one visible character.', { nonBlank: true, example: 'Add a health check' })
  title!: string;
  @Status({ optional: true }) status?: Stage;
  @Project() project_id?: string | null;
  @Description() description?: string | null;
  @Priority() priority?: string | null;
  @Assignee() assignee?: string | null;
  @RequestIdField() request_id?: string;
}

export class ColibriTarget {
  @TextField('Task id.', { nonBlank: true, example: '0198c0de-0000-7000-8000-000000000003' }) id!: string;
}

export class ColibriPatch {
  @TextField('New title, at least one visible character.', {
    optional: true,
    nonBlank: true,
    example: 'Add a health check',
  })
  title?: string;
  @Status({ optional: true }) status?: Stage;
  @Project() project_id?: string | null;
  @Description() description?: string | null;
  @Priority() priority?: string | null;
  @Assignee() assignee?: string | null;
}

export class ColibriUpdate extends ColibriTarget {
  @ObjectField('Fields to change; null clears a field, absent fields stay unchanged.', () => ColibriPatch)
  patch!: ColibriPatch;
}

export class ColibriList {
  @Status({ optional: true }) status?: Stage;
  @Project() project_id?: string | null;
  @IntField(`At most this many, 1 to ${MAX_LISTED}. Default 100.`, { optional: true, minimum: 1, maximum: MAX_LISTED })
  limit?: number;
  @IntField('Number of tasks to skip, at least 0.', { optional: true, minimum: 0 }) offset?: number;
  @BoolField('True includes deleted tasks.', { optional: true }) include_deleted?: boolean;
}

export class ColibriNext {}

export class ColibriThought {
  @TextField('Id of the task the thought is about.', {
    nonBlank: true,
    example: '0198c0de-0000-7000-8000-000000000003',
  })
  task_id!: string;
  @EnumField(`Kind of the thought: one of ${thoughtTypes.join(', ')}.`, thoughtTypes, { example: 'reflection' })
  type!: ThoughtType;
  @TextField('Author: name or handle of the agent.', { nonBlank: true, example: '@claude' }) agent_id!: string;
  @TextField('Content of the thought, as free text.', { nonBlank: true, example: 'Tests pass; the route answers 200.' })
  content!: string;
  @TextField('Session of the thought, as free text.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: 'session-7',
  })
  session_id?: string;
}

export class ColibriThoughtList {
  @TextField('Return only records of the task with this id.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: '0198c0de-0000-7000-8000-000000000003',
  })
  task_id?: string;
  @IntField('Maximum number of records to return, at least 1. Default 100; more than 500 is capped.', {
    optional: true,
    minimum: 1,
  })
  limit?: number;
  @OlderCursorField() cursor?: number;
}

export class ColibriVerify {
  @TextField('Verify only the chain of the task with this id. Default: every chain.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: '0198c0de-0000-7000-8000-000000000003',
  })
  task_id?: string;
}

/** The `error` of a refusal. */
export class ColibriError {
  @TextField('Code: ERR_NOT_FOUND, ERR_WRITEBACK_REQUIRED, INVALID_PARAMS or HANDLER_ERROR.', {
    example: 'ERR_NOT_FOUND',
  })
  code!: string;
  @TextField('What went wrong.', { example: 'Task not found: 7' }) message!: string;
  @TextField('Id of the requested task; only if the operation was refused.', { optional: true }) taskId?: string;
  @TextListField('What is missing; only with code ERR_WRITEBACK_REQUIRED.', {
    optional: true,
    example: ['thought_record'],
  })
  missing_fields?: string[];
  @RecordField('What is wrong with the arguments; only with code INVALID_PARAMS.', { optional: true })
  details?: Record<string, unknown>;
  @BoolField('True if the same call may succeed later.', { optional: true, example: false }) retryable?: boolean;
  @TextField('What to do next.', { optional: true, example: 'Call task_list.' }) hint?: string;
}

/** `data` of a refused operation holds ok: false and its error; that of a successful one has neither. */
class Refusable {
  @BoolField('Present, and false, only if the operation was refused.', { optional: true }) ok?: boolean;
  @ObjectField('Present only if the operation was refused: the reason.', () => ColibriError, { optional: true })
  error?: ColibriError;
}

export class ColibriTask {
  @UuidField('Task id (UUID).', { optional: true }) id!: string;
  @UuidField('Project of the task (UUID), or null.', { optional: true, nullable: true }) project_id!: string | null;
  @TextField('Title of the task.', { optional: true }) title!: string;
  @TextField('What needs to be done, or null.', { optional: true, nullable: true }) description!: string | null;
  @EnumField(`Stage: ${STAGE_WORDS}.`, stages, { optional: true }) status!: Stage;
  @TextField('Priority as entered, or null.', { optional: true, nullable: true }) priority!: string | null;
  @TextField('Assignee, or null.', { optional: true, nullable: true }) assignee!: string | null;
  @TimeField('When it was created (RFC 3339).', { optional: true }) created_at!: string;
  @TimeField('When it was last changed (RFC 3339).', { optional: true }) updated_at!: string;
  @TimeField('When it was deleted (RFC 3339), or null.', { optional: true, nullable: true }) deleted_at!: string | null;
  @BoolField('True if the task is marked as blocked.', { optional: true }) is_blocked!: boolean;
}

class TaskData extends ColibriTask {
  @ReplayedField() replayed?: boolean;
  @BoolField('Present, and false, only if the operation was refused.', { optional: true }) ok?: boolean;
  @ObjectField('Present only if the operation was refused: the reason.', () => ColibriError, { optional: true })
  error?: ColibriError;
}

class TasksData extends Refusable {
  @ListField('Tasks in creation order.', () => ColibriTask, { optional: true }) tasks?: ColibriTask[];
  @IntField('Total number of matches. Integer.', { optional: true }) total_count?: number;
  @BoolField('Present, and true, only if there are more tasks after these.', { optional: true }) has_more?: boolean;
  @IntField('Pass as offset for the next page; only with has_more.', { optional: true }) next_offset?: number;
  @TextField('How to go on; only with has_more.', { optional: true }) hint?: string;
  @NextField() next?: object;
}

class ThoughtData extends Refusable {
  @UuidField('Id of the record (UUID).', { optional: true }) id?: string;
  @UuidField('Task of the record (UUID).', { optional: true }) task_id?: string;
  @TextField('Kind of the thought.', { optional: true }) type?: string;
  @TextField('Author of the record, as stated.', { optional: true }) agent_id?: string;
  @TextField('Who was signed in and wrote it.', { optional: true, nullable: true }) recorded_by?: string | null;
  @TextField('Content of the thought.', { optional: true }) content?: string;
  @TextField('Session of the thought, or null.', { optional: true, nullable: true }) session_id?: string | null;
  @TimeField('When it was written (RFC 3339).', { optional: true }) timestamp?: string;
  @TextField('Hash of the previous record; 64 zeros for the first.', { optional: true }) prev_hash?: string;
  @TextField('SHA-256 of the record and of prev_hash.', { optional: true }) hash?: string;
}

class ThoughtsData extends Refusable {
  @ListField('Records in the order they were written.', () => ThoughtOutput, { optional: true })
  records?: ThoughtOutput[];
  @IntField('Total number of matches. Integer.', { optional: true }) total_count?: number;
  @BoolField('Present, and true, only if there are more records after these.', { optional: true }) has_more?: boolean;
  @IntField('Pass as cursor to get the next page; only with has_more.', { optional: true }) next_cursor?: number;
}

class VerifyData extends Refusable {
  @BoolField('True if every record and every link is intact.', { optional: true }) valid?: boolean;
  @IntField('Number of records checked. Integer.', { optional: true }) record_count?: number;
  @IntField('Number of broken records. Integer.', { optional: true }) broken_count?: number;
  @TextField('Id of the first broken record, or null.', { optional: true, nullable: true }) first_broken_at?:
    string | null;
}

class Answer {
  @BoolField('False if the call itself failed: invalid arguments or a server error.') ok!: boolean;
}

export class ColibriTaskAnswer extends Answer {
  @ObjectField('The task, or why the operation was refused.', () => TaskData, { optional: true }) data?: object;
}
export class ColibriTasksAnswer extends Answer {
  @ObjectField('The tasks, or why the operation was refused.', () => TasksData, { optional: true }) data?: object;
}
export class ColibriThoughtAnswer extends Answer {
  @ObjectField('The record, or why the operation was refused.', () => ThoughtData, { optional: true }) data?: object;
}
export class ColibriThoughtsAnswer extends Answer {
  @ObjectField('The records, or why the operation was refused.', () => ThoughtsData, { optional: true }) data?: object;
}
export class ColibriVerifyAnswer extends Answer {
  @ObjectField('The result, or why the operation was refused.', () => VerifyData, { optional: true }) data?: object;
}

/** A call that failed before any operation. */
export class ColibriFailure extends Answer {
  @ObjectField('Present only if ok is false: why the call failed.', () => ColibriError, { optional: true })
  error?: ColibriError;
}
