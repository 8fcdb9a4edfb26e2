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
} from '../../src/platform/fields/fields.js';
import { ExactlyOne, Modes, Paging } from '../../src/platform/fields/mode-rules.js';

const toLower = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value);

export class Part {
  @TextField('Its name.', { nonBlank: true }) name!: string;
  @IntField('How many.', { minimum: 0 }) count!: number;
  @UuidField('Where it belongs, UUID.', { optional: true }) part_id?: string;
}

/** Every kind of field, required and optional. */
export class EveryKind {
  @UuidField('An id, UUID.') uuid!: string;
  @UuidField('Another id, UUID.', { optional: true }) uuid_optional?: string;
  @TextField('A text.') text!: string;
  @TextField('A short text of 1-5 characters.', { optional: true, nonBlank: true, maxLength: 5 }) text_short?: string;
  @EnumField('A word, in any case.', ['red', 'green'], { optional: true, normalise: toLower }) word?: string;
  @IntField('A number from 1.', { optional: true, minimum: 1 }) int?: number;
  @BoolField('A flag.', { optional: true }) flag?: boolean;
  @TimeField('A time, RFC 3339.', { optional: true }) at?: string;
  @RecordField('Anything.', { optional: true }) record?: Record<string, unknown>;
  @ObjectField('One part.', () => Part, { optional: true }) part?: Part;
  @ListField('Some parts.', () => Part, { optional: true, minItems: 1 }) parts?: Part[];
  @TextListField('Some texts.', { optional: true }) texts?: string[];
}

/** Modes and targets together. */
@Modes('action', {
  send: { require: ['prompt'] },
  queue: { require: ['prompt'] },
  cancel: { forbid: ['prompt', 'variant'] },
})
@ExactlyOne('attempt_id', 'session_id')
export class Moded {
  @EnumField('What to do.', ['send', 'queue', 'cancel'], { redirects: { stop: 'Call {op:stop_attempt} to stop.' } })
  action!: string;
  @UuidField('By attempt, UUID.', { optional: true }) attempt_id?: string;
  @UuidField('By session, UUID.', { optional: true }) session_id?: string;
  @TextField('The message.', { optional: true, nonBlank: true }) prompt?: string;
  @TextField('A variant.', { optional: true }) variant?: string;
}

/** Two ways to page, without a mode field. */
@Paging('cursor', 'after_entry_index', 'wait_ms')
@ExactlyOne('attempt_id', 'session_id')
export class Paged {
  @UuidField('By attempt, UUID.', { optional: true }) attempt_id?: string;
  @UuidField('By session, UUID.', { optional: true }) session_id?: string;
  @IntField('Older than this.', { optional: true, minimum: 0 }) cursor?: number;
  @IntField('Newer than this.', { optional: true, minimum: -1 }) after_entry_index?: number;
  @IntField('Wait so long.', { optional: true, minimum: 0 }) wait_ms?: number;
}
