/** What an agent says, normalized and append-only. A tool call and its result are two entries joined by `tool_call`. */
export const entryTypes = [
  'user_message',
  'assistant_message',
  'thinking',
  'tool_use',
  'tool_result',
  'system_message',
  'error_message',
  'plan',
  'token_usage',
] as const;
export type EntryType = (typeof entryTypes)[number];

export interface NormalizedEntry {
  type: EntryType;
  content: string;
  /** Goes on, within its line, from the last entry of its type: their contents are one text. */
  continues?: true;
  /** Joins a tool_result to its tool_use. */
  tool_call?: string;
  tool_name?: string;
  /** Stable kind of an error_message. */
  error_kind?: string;
  metadata?: Record<string, unknown>;
}

/** One line of output as it was. `continues`: it goes on from the last entry of its type. */
export interface RawEntry {
  type: 'stdout' | 'stderr';
  content: string;
  continues?: true;
}

export const eventTypes = [
  'state',
  'stop_requested',
  'message_queued',
  'message_changed',
  'message_dropped',
  'approval_asked',
  'approval_settled',
  'committed',
  'commit_failed',
  'branch_updated',
  'conflicts_found',
  'update_left',
  'update_aborted',
  'merged',
  'merge_undone',
  'pushed',
  'pull_request_opened',
  'pull_request_changed',
  'pull_request_merged',
  'pull_request_closed',
  'delivery_failed',
  'log_limit',
  'moved',
  'work_not_saved',
  'network_denied',
  'review_submitted',
  'review_errored',
  'continuation_due',
  'continuation_queued',
  'continuation_sent',
  'continuation_dropped',
  'continuation_exhausted',
] as const;
export type EventType = (typeof eventTypes)[number];
/** What happened to an attempt; what event streams resume from. */
export interface EventEntry {
  type: EventType;
  content: string;
  metadata?: Record<string, unknown>;
}

export type LogEntry = NormalizedEntry | RawEntry | EventEntry;
export type LogChannel = 'raw' | 'normalized' | 'events';
