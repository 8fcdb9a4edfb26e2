import { type AttemptState, attemptStates, AttemptTarget } from '../attempts/attempt.dto.js';
import { entryTypes, eventTypes } from '../executors/log-entry.js';
import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  ObjectField,
  RecordField,
  TextField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';
import { Paging } from '../platform/fields/mode-rules.js';
import { NextField } from '../platform/errors/wording.js';
import { OlderCursorField, WaitField } from '../platform/fields/paging.js';

export const DEFAULT_ENTRIES = { normalized: 20, raw: 200 } as const;
export const MAX_ENTRIES = 1_000;
const entryKinds = [...entryTypes, 'stdout', 'stderr', ...eventTypes];

const logFormats = ['entries', 'text'] as const;

@Paging('cursor', 'after_entry_index', 'wait_ms')
export class TailLogsInput extends AttemptTarget {
  @EnumField('normalized: messages and tool calls; raw: lines of output. Default normalized.', ['normalized', 'raw'], {
    optional: true,
    default: 'normalized',
    example: 'normalized',
  })
  channel?: 'normalized' | 'raw';
  @EnumField('entries, or text: as lines in page.text, far fewer tokens. Default entries.', logFormats, {
    optional: true,
    default: 'entries',
    example: 'text',
  })
  format?: (typeof logFormats)[number];
  @IntField('Entries, or raw lines. Default 20, or 200 raw; at most 1000.', {
    optional: true,
    minimum: 1,
    example: 20,
  })
  limit?: number;
  @TextField('Only entries or lines with all these words, in any case.', {
    optional: true,
    blankIsAbsent: true,
    example: 'error',
  })
  query?: string;
  @OlderCursorField() cursor?: number;
  @IntField('Only newer ones than this entry_index; -1: all.', {
    optional: true,
    minimum: -1,
    example: 41,
  })
  after_entry_index?: number;
  @WaitField('for newer entries or the end.')
  wait_ms?: number;
}

export class LogEntryFields {
  @EnumField(`Kind of the entry: one of ${entryKinds.join(', ')}.`, entryKinds, { example: 'assistant_message' })
  type!: string;
  @TextField('Text of the entry.', { example: 'Added /healthz.' }) content!: string;
  @BoolField('True if it continues the last entry of its type: join their content; otherwise absent.', {
    optional: true,
  })
  continues?: boolean;
  @TextField('Id that links a tool_result to its tool_use; otherwise absent.', { optional: true, example: 'call_7' })
  tool_call?: string;
  @TextField('Name of the tool; otherwise absent.', { optional: true, example: 'Bash' }) tool_name?: string;
  @TextField('Stable kind of an error_message; otherwise absent.', { optional: true, example: 'not_authenticated' })
  error_kind?: string;
  @BoolField('True if the entry is too long for one answer, and its end is left out; otherwise absent.', {
    optional: true,
  })
  cut?: boolean;
  @RecordField('Additional data; absent if there is none.', { optional: true, example: { stream: 'stderr' } })
  metadata?: Record<string, unknown>;
}

export class LogEntryOutput {
  @IntField('Position in the attempt and channel, starting at 0, without gaps, never reused. Integer.', {
    example: 42,
  })
  entry_index!: number;
  @UuidField('Execution that produced the entry (UUID), or null.', { nullable: true }) execution_process_id!:
    string | null;
  @TimeField('When it was stored (RFC 3339).') created_at!: string;
  @ObjectField('The entry.', () => LogEntryFields) entry!: LogEntryFields;
}

export class LogPage {
  @ListField('Entries in chronological order; none with format=text.', () => LogEntryOutput)
  entries!: LogEntryOutput[];
  @TextField('With format=text the entries as lines, else absent.', { optional: true, example: 'Added /healthz.' })
  text?: string;
  @IntField('Pass as cursor to page older entries; null at the end and with after_entry_index. Integer.', {
    nullable: true,
    example: null,
  })
  next_cursor!: number | null;
  @BoolField('True if there are more entries: older ones, or newer ones with after_entry_index.', { example: false })
  has_more!: boolean;
  @BoolField('True if an execution produced more output than is kept.', { example: false }) history_truncated!: boolean;
  @IntField('Pass as after_entry_index to read newer entries; null in an answer to cursor. Integer.', {
    nullable: true,
    example: 42,
  })
  next_after_entry_index!: number | null;
}

export class TailLogsOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @UuidField('Latest execution of the attempt (UUID), or null.', { nullable: true }) execution_process_id!:
    string | null;
  @EnumField(
    'State of the attempt now: one of idle, running, completed, failed. Entries follow only while it is running.',
    attemptStates,
    { example: 'running' },
  )
  state!: AttemptState;
  @EnumField('Log channel: normalized or raw.', ['normalized', 'raw'], { example: 'normalized' }) channel!: string;
  @ObjectField('One page of entries.', () => LogPage) page!: LogPage;
  @TextField('What to do if the page ends before limit, because it is long; absent otherwise.', {
    optional: true,
    example: 'The page is full; continue with GET /api/attempts/{attempt_id}/logs.',
  })
  hint?: string | null;
  @NextField() next?: object;
}
