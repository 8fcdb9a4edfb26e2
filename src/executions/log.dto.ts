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
import { OlderCursorField } from '../platform/fields/paging.js';

export const DEFAULT_ENTRIES = { normalized: 20, raw: 200 } as const;
export const MAX_ENTRIES = 1_000;
const entryKinds = [...entryTypes, 'stdout', 'stderr', ...eventTypes];

@Paging('cursor', 'after_entry_index', 'wait_ms')
export class TailLogsInput extends AttemptTarget {
  @EnumField(
    'normalized: what was said and done; raw: the lines of output. Default normalized.',
    ['normalized', 'raw'],
    { optional: true, default: 'normalized', example: 'normalized' },
  )
  channel?: 'normalized' | 'raw';
  @IntField('How many entries to answer at most, 1 or more. Default 20, raw 200; large values are capped.', {
    optional: true,
    minimum: 1,
    example: 20,
  })
  limit?: number;
  @OlderCursorField() cursor?: number;
  @IntField('Answer only entries newer than this entry_index; -1 reads from the first one. Whole number.', {
    optional: true,
    minimum: -1,
    example: 41,
  })
  after_entry_index?: number;
  @IntField('Wait up to this many milliseconds (at most 30000) until something newer exists or the run has ended.', {
    optional: true,
    minimum: 0,
    example: 20000,
  })
  wait_ms?: number;
}

export class LogEntryFields {
  @EnumField(`Kind of the entry: one of ${entryKinds.join(', ')}.`, entryKinds, { example: 'assistant_message' })
  type!: string;
  @TextField('Text of the entry.', { example: 'Added /healthz.' }) content!: string;
  @BoolField('True when the line goes on in the next entry; absent otherwise.', { optional: true }) continues?: boolean;
  @TextField('Joins a tool_result to its tool_use; absent otherwise.', { optional: true, example: 'call_7' })
  tool_call?: string;
  @TextField('Name of the tool; absent otherwise.', { optional: true, example: 'Bash' }) tool_name?: string;
  @TextField('Stable kind of an error_message; absent otherwise.', { optional: true, example: 'not_authenticated' })
  error_kind?: string;
  @RecordField('More facts; absent where there are none.', { optional: true, example: { stream: 'stderr' } })
  metadata?: Record<string, unknown>;
}

export class LogEntryOutput {
  @IntField('Place of the entry in the attempt and channel, from 0, without gaps, never reused. Whole number.', {
    example: 42,
  })
  entry_index!: number;
  @UuidField('The run that said it (UUID), or null.', { nullable: true }) execution_process_id!: string | null;
  @TimeField('When it was stored (RFC 3339).') created_at!: string;
  @ObjectField('The entry.', () => LogEntryFields) entry!: LogEntryFields;
}

export class LogPage {
  @ListField('Entries in chronological order.', () => LogEntryOutput) entries!: LogEntryOutput[];
  @IntField('Pass as cursor to page older entries; null at the end and with after_entry_index. Whole number.', {
    nullable: true,
    example: null,
  })
  next_cursor!: number | null;
  @BoolField(
    'True when more entries exist in the direction that was asked for: older ones, with after_entry_index newer ones.',
    { example: false },
  )
  has_more!: boolean;
  @BoolField('True when a run wrote more than is kept.', { example: false }) history_truncated!: boolean;
  @IntField('Pass as after_entry_index to read what comes next. Whole number.', { example: 42 })
  next_after_entry_index!: number;
}

export class TailLogsOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @UuidField('Newest run of the attempt (UUID), or null.', { nullable: true }) execution_process_id!: string | null;
  @EnumField(
    'State of the attempt now: one of idle, running, completed, failed. Nothing more comes once it is not running.',
    attemptStates,
    { example: 'running' },
  )
  state!: AttemptState;
  @EnumField('The channel: normalized or raw.', ['normalized', 'raw'], { example: 'normalized' }) channel!: string;
  @ObjectField('One page of entries.', () => LogPage) page!: LogPage;
}
