import { type SessionRole, sessionRoles } from './session.entity.js';
import { AttemptIdField, AttemptTarget } from '../attempts/attempt.dto.js';
import { canonicalVariant } from '../executors/executor-names.js';
import { ExactlyOne } from '../platform/fields/mode-rules.js';
import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  ObjectField,
  TextField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';
import { LimitField, OlderCursorField, PageOutput } from '../platform/fields/paging.js';

const SessionIdField = (options: { optional?: boolean } = {}) => UuidField('UUID of a session.', options);
export const VariantField = () =>
  TextField('Default: the same.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    normalise: canonicalVariant,
    example: 'PLAN',
  });

export class SessionTarget {
  @SessionIdField() session_id!: string;
}

/** A session by itself, or the newest session of an author of an attempt. */
export class SessionOrAttempt {
  @AttemptIdField({ optional: true }) attempt_id?: string;
  @SessionIdField({ optional: true }) session_id?: string;
}

export const DEFAULT_MESSAGES = 20;
export const MAX_MESSAGES = 200;

@ExactlyOne('attempt_id', 'session_id')
export class MessagesInput extends SessionOrAttempt {
  @LimitField(DEFAULT_MESSAGES, MAX_MESSAGES) limit?: number;
  @OlderCursorField() cursor?: number;
}

export class MessageOutput {
  @IntField('Position of the turn in the session, starting at 0. Integer.', { example: 0 }) entry_index!: number;
  @UuidField('Execution of this turn (UUID).') turn_id!: string;
  @TextField('Prompt of the turn, or null; cut after 8 KB, unless limit is above 20.', {
    nullable: true,
    example: 'Add a health check',
  })
  prompt!: string | null;
  @TextField('Final message of the agent in this turn, or null; cut likewise.', {
    nullable: true,
    example: 'Added /healthz.',
  })
  summary!: string | null;
  @EnumField(
    'Status of the turn: queued, running, completed, failed or killed.',
    ['queued', 'running', 'completed', 'failed', 'killed'],
    { example: 'completed' },
  )
  status!: string;
  @TimeField('When the turn was requested (RFC 3339).') created_at!: string;
  @TimeField('When it last changed (RFC 3339).') updated_at!: string;
}

export class MessagePage {
  @ListField('Turns in chronological order.', () => MessageOutput) entries!: MessageOutput[];
  @IntField('Pass as cursor to page older turns. Integer, null at the end.', {
    nullable: true,
    example: null,
  })
  next_cursor!: number | null;
  @BoolField('True if there are older turns.', { example: false }) has_more!: boolean;
}

export class MessagesOutput {
  @UuidField('Session id (UUID).') session_id!: string;
  @ObjectField('One page of the transcript.', () => MessagePage) page!: MessagePage;
}

export class ListSessionsInput extends AttemptTarget {
  @LimitField() limit?: number;
  @OlderCursorField() cursor?: number;
}

export class SessionOutput {
  @UuidField('Session id (UUID).') session_id!: string;
  @UuidField('Attempt of the session (UUID).') attempt_id!: string;
  @EnumField('author (works on the attempt) or reviewer (has read what the author made).', sessionRoles, {
    example: 'author',
  })
  role!: SessionRole;
  @TextField('Executor of the session.', { example: 'SHELL' }) executor!: string;
  @TextField('Variant of the executor, or null for its default.', { nullable: true, example: null }) variant!:
    string | null;
  @TimeField('When it was created (RFC 3339).') created_at!: string;
  @TimeField('When it last changed (RFC 3339).') updated_at!: string;
}

export class ListSessionsOutput extends PageOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @ListField('Sessions, newest first.', () => SessionOutput) sessions!: SessionOutput[];
}
