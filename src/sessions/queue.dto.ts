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
import { SessionTarget } from './session.dto.js';

export class QueuedMessageOutput {
  @UuidField('Session of the message (UUID).') session_id!: string;
  @TextField('The message.', { example: 'Also add a test.' }) message!: string;
  @TextField('Variant for the message, or null for the variant of the session.', { nullable: true, example: null })
  variant!: string | null;
  @TimeField('When it was queued (RFC 3339).') queued_at!: string;
}

/** What waits in a session. */
export class QueueFields {
  @EnumField('Queue of the session: queued if messages wait, otherwise empty.', ['empty', 'queued'], {
    example: 'empty',
  })
  queue_status!: 'empty' | 'queued';
  @IntField('How many messages wait; each has a turn of its own. Integer.', { example: 0 }) queue_length!: number;
  @ObjectField('The message that was queued, or the next to run; or null.', () => QueuedMessageOutput, {
    nullable: true,
    example: null,
  })
  queued_message!: QueuedMessageOutput | null;
}

export class WaitingMessageOutput {
  @UuidField('Id of the message (UUID).') message_id!: string;
  @TextField('The message.', { example: 'Also add a test.' }) prompt!: string;
  @BoolField('True if it was sent now: it runs once the live run has ended, however that ends.', { example: false })
  goes_first!: boolean;
}

export class QueueOutput extends QueueFields {
  @UuidField('Session id (UUID).') session_id!: string;
  @ListField(
    'Messages that wait, the next to run first; fewer than queue_length where they are very long.',
    () => WaitingMessageOutput,
  )
  messages!: WaitingMessageOutput[];
}

export class MessageTarget extends SessionTarget {
  @UuidField('Id of a message that waits (UUID).') message_id!: string;
}

export class EditMessageInput extends MessageTarget {
  @TextField('The message in new words; it then runs in the name of who calls.', {
    nonBlank: true,
    example: 'Also add a test.',
  })
  prompt!: string;
}
