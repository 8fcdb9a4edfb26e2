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
import { RequestIdField } from '../../tasks/task.dto.js';
import { type Stage, stages } from '../../tasks/task-stage.js';
import { ThoughtOutput } from '../../thoughts/thought.dto.js';
import { type ThoughtType, thoughtTypes } from '../../thoughts/thought-record.entity.js';

/** Specification 4 refuses a larger `limit` of task_list; schemas name no caps. */
export const MAX_LISTED = 500;
const STAGE_WORDS = `one of ${stages.join(', ')}`;
const Project = () =>
  TextField('Project: its id or its slug; null is no project.', {
    optional: true,
    nullClears: true,
    nonBlank: true,
    example: 'web-shop',
  });
const Description = () =>
  TextField('What is to be done, or null.', { optional: true, nullClears: true, example: 'Answer 200 at /healthz.' });
const Priority = () =>
  TextField('Priority in free words, at most 64 characters, or null.', {
    optional: true,
    nullClears: true,
    example: 'high',
  });
const Assignee = () =>
  TextField('Who does it, free words or the handle of a worker, at most 255 characters, or null.', {
    optional: true,
    nullClears: true,
    example: '@ada',
  });
const Status = (options: { optional: boolean }) =>
  EnumField(`Stage: ${STAGE_WORDS}.`, stages, { ...options, blankIsAbsent: false, example: 'INIT' });

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
  @ObjectField('Fields to change; null clears, what is absent stays.', () => ColibriPatch) patch!: ColibriPatch;
}

export class ColibriList {
  @Status({ optional: true }) status?: Stage;
  @Project() project_id?: string | null;
  @IntField(`How many tasks to answer, 1 to ${MAX_LISTED}. Default 100.`, { optional: true, minimum: 1 })
  limit?: number;
  @IntField('How many tasks to leave out first, from 0.', { optional: true, minimum: 0 }) offset?: number;
  @BoolField('True lists deleted tasks too.', { optional: true }) include_deleted?: boolean;
}

export class ColibriNext {}

export class ColibriThought {
  @TextField('Task the thought is about: its id.', { nonBlank: true, example: '0198c0de-0000-7000-8000-000000000003' })
  task_id!: string;
  @EnumField(`Kind of the thought: one of ${thoughtTypes.join(', ')}.`, thoughtTypes, { example: 'reflection' })
  type!: ThoughtType;
  @TextField('Who writes it.', { nonBlank: true, example: '@claude' }) agent_id!: string;
  @TextField('The thought itself, free text.', { nonBlank: true, example: 'Tests pass; the route answers 200.' })
  content!: string;
  @TextField('Session it belongs to.', { optional: true, nonBlank: true, blankIsAbsent: true, example: 'session-7' })
  session_id?: string;
}

export class ColibriThoughtList {
  @TextField('Only records of this task: its id.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: '0198c0de-0000-7000-8000-000000000003',
  })
  task_id?: string;
  @IntField('How many to answer at most, from 1. Default 100; more than 500 is capped.', { optional: true, minimum: 1 })
  limit?: number;
}

export class ColibriVerify {
  @TextField('Only the chain of this task: its id. Default: every chain.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: '0198c0de-0000-7000-8000-000000000003',
  })
  task_id?: string;
}

/** What a refusal says inside `error`. */
export class ColibriError {
  @TextField('Code: ERR_NOT_FOUND, ERR_WRITEBACK_REQUIRED, INVALID_PARAMS or HANDLER_ERROR.', {
    example: 'ERR_NOT_FOUND',
  })
  code!: string;
  @TextField('What went wrong.', { example: 'Task not found: 7' }) message!: string;
  @TextField('The task that was meant; only in refusals of the operation.', { optional: true }) taskId?: string;
  @TextListField('What is missing; only where the code is ERR_WRITEBACK_REQUIRED.', {
    optional: true,
    example: ['thought_record'],
  })
  missing_fields?: string[];
  @RecordField('What is wrong with the arguments; only where the code is INVALID_PARAMS.', { optional: true })
  details?: Record<string, unknown>;
  @BoolField('True when the same call may succeed later.', { optional: true, example: false }) retryable?: boolean;
  @TextField('What to do next.', { optional: true, example: 'Call task_list.' }) hint?: string;
}

/** Inside `data` a refused operation answers ok false and its error; a successful one has neither. */
class Refusable {
  @BoolField('Only in a refused operation, and false then.', { optional: true }) ok?: boolean;
  @ObjectField('Only in a refused operation: why.', () => ColibriError, { optional: true }) error?: ColibriError;
}

export class ColibriTask {
  @UuidField('Task id (UUID).', { optional: true }) id!: string;
  @UuidField('Project of the task (UUID), or null.', { optional: true, nullable: true }) project_id!: string | null;
  @TextField('Title of the task.', { optional: true }) title!: string;
  @TextField('What is to be done, or null.', { optional: true, nullable: true }) description!: string | null;
  @EnumField(`Stage: ${STAGE_WORDS}.`, stages, { optional: true }) status!: Stage;
  @TextField('Priority as it was written, or null.', { optional: true, nullable: true }) priority!: string | null;
  @TextField('Who does it, or null.', { optional: true, nullable: true }) assignee!: string | null;
  @TimeField('When it was created (RFC 3339).', { optional: true }) created_at!: string;
  @TimeField('When it was last changed (RFC 3339).', { optional: true }) updated_at!: string;
  @TimeField('When it was deleted (RFC 3339), or null.', { optional: true, nullable: true }) deleted_at!: string | null;
  @BoolField('True when somebody marked it as blocked.', { optional: true }) is_blocked!: boolean;
}

class TaskData extends ColibriTask {
  @BoolField('Only in a refused operation, and false then.', { optional: true }) ok?: boolean;
  @ObjectField('Only in a refused operation: why.', () => ColibriError, { optional: true }) error?: ColibriError;
}

class TasksData extends Refusable {
  @ListField('Tasks in the order they were made.', () => ColibriTask, { optional: true }) tasks?: ColibriTask[];
  @IntField('How many there are in all. Whole number.', { optional: true }) total_count?: number;
}

class ThoughtData extends Refusable {
  @UuidField('Id of the record (UUID).', { optional: true }) id?: string;
  @UuidField('Task of the record (UUID).', { optional: true }) task_id?: string;
  @TextField('Kind of the thought.', { optional: true }) type?: string;
  @TextField('Who wrote it.', { optional: true }) agent_id?: string;
  @TextField('The thought.', { optional: true }) content?: string;
  @TextField('Session it belongs to, or null.', { optional: true, nullable: true }) session_id?: string | null;
  @TimeField('When it was written (RFC 3339).', { optional: true }) timestamp?: string;
  @TextField('Hash of the record before it; 64 zeros for the first.', { optional: true }) prev_hash?: string;
  @TextField('SHA-256 of the record and the link before it.', { optional: true }) hash?: string;
}

class ThoughtsData extends Refusable {
  @ListField('Records in the order of writing.', () => ThoughtOutput, { optional: true }) records?: ThoughtOutput[];
  @IntField('How many there are in all. Whole number.', { optional: true }) total_count?: number;
}

class VerifyData extends Refusable {
  @BoolField('True when every record and every link is as it was written.', { optional: true }) valid?: boolean;
  @IntField('How many records were checked. Whole number.', { optional: true }) record_count?: number;
  @IntField('How many are broken. Whole number.', { optional: true }) broken_count?: number;
  @TextField('Id of the first broken record, or null.', { optional: true, nullable: true }) first_broken_at?:
    string | null;
}

class Answer {
  @BoolField('False when the call itself failed: wrong arguments, or a fault of the server.') ok!: boolean;
}

export class ColibriTaskAnswer extends Answer {
  @ObjectField('The task, or the refusal of the operation.', () => TaskData, { optional: true }) data?: object;
}
export class ColibriTasksAnswer extends Answer {
  @ObjectField('The tasks, or the refusal of the operation.', () => TasksData, { optional: true }) data?: object;
}
export class ColibriThoughtAnswer extends Answer {
  @ObjectField('The record, or the refusal of the operation.', () => ThoughtData, { optional: true }) data?: object;
}
export class ColibriThoughtsAnswer extends Answer {
  @ObjectField('The records, or the refusal of the operation.', () => ThoughtsData, { optional: true }) data?: object;
}
export class ColibriVerifyAnswer extends Answer {
  @ObjectField('What the check found, or the refusal of the operation.', () => VerifyData, { optional: true })
  data?: object;
}

/** A call that failed as such. */
export class ColibriFailure extends Answer {
  @ObjectField('Only where ok is false: why the call failed.', () => ColibriError, { optional: true })
  error?: ColibriError;
}
