import { AttemptIdField } from '../attempts/attempt.dto.js';
import { canonicalVariant } from '../executors/executor-catalogue.js';
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
import { LimitField, OlderCursorField } from '../platform/fields/paging.js';

export const SessionIdField = (options: { optional?: boolean } = {}) =>
  UuidField('Session id (UUID): latest_session_id of get_attempt_status.', options);
export const VariantField = () =>
  TextField('Variant of the executor, from list_executors. Default: the one the session already uses.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    normalise: canonicalVariant,
    example: 'PLAN',
  });

export class SessionTarget {
  @SessionIdField() session_id!: string;
}

/** A session by itself, or the newest session of an attempt. */
export class SessionOrAttempt {
  @AttemptIdField({ optional: true }) attempt_id?: string;
  @SessionIdField({ optional: true }) session_id?: string;
}

export const DEFAULT_MESSAGES = 20;
export const MAX_MESSAGES = 200;

@ExactlyOne('attempt_id', 'session_id')
export class MessagesInput extends SessionOrAttempt {
  @LimitField(DEFAULT_MESSAGES) limit?: number;
  @OlderCursorField() cursor?: number;
}

export class MessageOutput {
  @IntField('Place of the turn in the session, from 0. Whole number.', { example: 0 }) entry_index!: number;
  @UuidField('The run of this turn (UUID).') turn_id!: string;
  @TextField('What the agent was told.', { nullable: true, example: 'Add a health check' }) prompt!: string | null;
  @TextField('The last answer of the agent in this turn, or null.', { nullable: true, example: 'Added /healthz.' })
  summary!: string | null;
  @EnumField(
    'How the turn stands: queued, running, completed, failed or killed.',
    ['queued', 'running', 'completed', 'failed', 'killed'],
    { example: 'completed' },
  )
  status!: string;
  @TimeField('When the turn was asked for (RFC 3339).') created_at!: string;
  @TimeField('When it last changed (RFC 3339).') updated_at!: string;
}

export class MessagePage {
  @ListField('Turns in chronological order.', () => MessageOutput) entries!: MessageOutput[];
  @IntField('Pass as cursor to page older turns. Whole number, null when there are none.', {
    nullable: true,
    example: null,
  })
  next_cursor!: number | null;
  @BoolField('True when older turns exist.', { example: false }) has_more!: boolean;
}

export class MessagesOutput {
  @UuidField('Session id (UUID).') session_id!: string;
  @ObjectField('One page of the transcript.', () => MessagePage) page!: MessagePage;
}

export class QueuedMessageOutput {
  @UuidField('Session the message waits in (UUID).') session_id!: string;
  @TextField('The message.', { example: 'Also add a test.' }) message!: string;
  @TextField('Variant it will run with, or null for the one of the session.', { nullable: true, example: null })
  variant!: string | null;
  @TimeField('When it was queued (RFC 3339).') queued_at!: string;
}

export class QueueOutput {
  @UuidField('Session id (UUID).') session_id!: string;
  @EnumField('empty, or queued when a message waits.', ['empty', 'queued'], { example: 'empty' }) status!:
    'empty' | 'queued';
  @ObjectField('The message that waits, or null.', () => QueuedMessageOutput, { nullable: true, example: null })
  queued_message!: QueuedMessageOutput | null;
}

export class SessionOutput {
  @UuidField('Session id (UUID).') session_id!: string;
  @UuidField('Attempt of the session (UUID).') attempt_id!: string;
  @TextField('Executor of the session.', { example: 'SHELL' }) executor!: string;
  @TextField('Variant of the executor, or null for its default.', { nullable: true, example: null }) variant!:
    string | null;
  @TimeField('When it was created (RFC 3339).') created_at!: string;
  @TimeField('When it last changed (RFC 3339).') updated_at!: string;
}
