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
  @EnumField('normalized: messages and tool calls; raw: lines of output. Default normalized.', ['normalized', 'raw'], {
    optional: true,
    default: 'normalized',
    example: 'normalized',
  })
  channel?: 'normalized' | 'raw';
  @IntField('Maximum number of entries to return, at least 1. Default 20, or 200 for raw; large values are capped.', {
    optional: true,
    minimum: 1,
    example: 20,
  })
  limit?: number;
  @OlderCursorField() cursor?: number;
  @IntField('Return only entries newer than this entry_index; -1 starts at the first entry. Integer.', {
    optional: true,
    minimum: -1,
    example: 41,
  })
  after_entry_index?: number;
  @IntField('Wait up to this many milliseconds (at most 30000) for newer entries or the end of the run.', {
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
  @BoolField('True if it continues the last entry of its type: join their content; otherwise absent.', {
    optional: true,
  })
  continues?: boolean;
  @TextField('Id that links a tool_result to its tool_use; otherwise absent.', { optional: true, example: 'call_7' })
  tool_call?: string;
  @TextField('Name of the tool; otherwise absent.', { optional: true, example: 'Bash' }) tool_name?: string;
  @TextField('Stable kind of an error_message; otherwise absent.', { optional: true, example: 'not_authenticated' })
  error_kind?: string;
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
  @ListField('Entries in chronological order.', () => LogEntryOutput) entries!: LogEntryOutput[];
  @IntField('Pass as cursor to page older entries; null at the end and with after_entry_index. Integer.', {
    nullable: true,
    example: null,
  })
  next_cursor!: number | null;
  @BoolField('True if there are more entries: older ones, or newer ones with after_entry_index.', { example: false })
  has_more!: boolean;
  @BoolField('True if an execution produced more output than is kept.', { example: false }) history_truncated!: boolean;
  @IntField('Pass as after_entry_index to read newer entries. Integer.', { example: 42 })
  next_after_entry_index!: number;
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
}
