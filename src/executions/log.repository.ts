import { Injectable } from '@nestjs/common';
import { lastPlan } from '../executors/agent/plan.js';
import type { LogChannel, LogEntry } from '../executors/log-entry.js';
import { Database } from '../platform/database/database.js';
import { storableText } from '../platform/fields/formats.js';

export interface LogChunk {
  first_index: string;
  last_index: string;
  execution_id: string | null;
  created_at: Date;
  entries: LogEntry[];
}
export interface LogHead {
  next_index: number;
  dropped_entries: number;
}
/** Entries of one flush. */
export interface Batch {
  channel: LogChannel;
  entries: LogEntry[];
  dropped: number;
}
/** Where the entries went, and whether a stop is asked for. */
export interface Appended {
  last_index: number;
  stop: boolean;
  force: boolean;
}
/** The execution that writes; its rows only count while it holds the job. */
export interface Writer {
  attempt_id: string;
  execution_id: string;
  job_id: string;
}

const CHUNKS_A_QUERY = 16;

/** Logs of an attempt: chunks of entries, numbered by a head row in the same statement, so commit order is index
 *  order. */
@Injectable()
export class LogRepository {
  constructor(private readonly database: Database) {}

  /** One statement, one round trip.
   *  @returns null where the execution is no longer the writer's, else where its entries went */
  async append(writer: Writer, { channel, entries, dropped }: Batch): Promise<Appended | null> {
    const plan = lastPlan(entries);
    const [row] = await this.database.query<{ stop: boolean; force: boolean; last_index: string }>(APPEND, [
      writer.attempt_id,
      writer.execution_id,
      writer.job_id,
      channel,
      entries.length,
      toJsonbText(entries),
      dropped,
      plan && toJsonbText(plan),
    ]);
    return row ? { ...row, last_index: Number(row.last_index) } : null;
  }

  /** Newest index that an execution has written, -1 if none. Waits for a write in progress first. */
  async findLastIndex({ attempt_id, execution_id }: Omit<Writer, 'job_id'>, channel: LogChannel): Promise<number> {
    await this.database.query(LOCK_HEAD, [attempt_id, channel]);
    const [row] = await this.database.query<{ last_index: string }>(LAST_INDEX, [attempt_id, channel, execution_id]);
    return Number(row?.last_index ?? -1);
  }

  /** Index of an execution's first entry; if there is none yet, an index at or before it. */
  async findFirstIndex(attempt_id: string, execution_id: string, channel: LogChannel): Promise<number> {
    const { next_index } = await this.findHead(attempt_id, channel); // first: later writes come after it
    const [row] = await this.database.query<{ first_index: string }>(FIRST_INDEX, [attempt_id, channel, execution_id]);
    return Number(row?.first_index ?? next_index);
  }

  /** What happened to an attempt; joins the transaction of the change. */
  async appendEvent(attempt_id: string, execution_id: string | null, entry: LogEntry): Promise<void> {
    await this.database.query(APPEND_EVENT, [attempt_id, execution_id, toJsonbText([entry])]);
  }

  async findHead(attempt_id: string, channel: LogChannel): Promise<LogHead> {
    const [head] = await this.database.query<{ next_index: string; dropped_entries: string }>(FIND_HEAD, [
      attempt_id,
      channel,
    ]);
    return { next_index: Number(head?.next_index ?? 0), dropped_entries: Number(head?.dropped_entries ?? 0) };
  }

  /** Some chunks with entries of [from, to], from the given end; call again for the rest. */
  async listChunks(
    attempt_id: string,
    channel: LogChannel,
    from: number,
    to: number,
    order: 'oldest' | 'newest',
  ): Promise<LogChunk[]> {
    return this.database.query<LogChunk>(order === 'newest' ? NEWEST_CHUNKS : OLDEST_CHUNKS, [
      attempt_id,
      channel,
      from,
      to,
    ]);
  }

  /** Deletes whole logs that were idle for so many days, of at most so many attempts. @returns how many */
  async prune(days: number, most: number): Promise<number> {
    const [row] = await this.database.query<{ attempts: number }>(PRUNE, [days, most]);
    return row?.attempts ?? 0;
  }

  async deleteOfAttempts(attempt_ids: string[]): Promise<void> {
    await this.database.query(DELETE_LOGS, [attempt_ids]);
  }
}

/** What PostgreSQL's jsonb refuses: NUL and lone surrogates, written as escapes by JSON.stringify. */
const REFUSED = /\\u(0000|d[89a-f][0-9a-f]{2})/i;

/** JSON that jsonb accepts; refused characters become U+FFFD, never a lost entry. */
export function toJsonbText(value: unknown): string {
  const text = JSON.stringify(value);
  return REFUSED.test(text) ? JSON.stringify(clean(value)) : text;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [clean(key), clean(item)]));
}

const FIND_HEAD = `
  SELECT next_index, dropped_entries
  FROM log_heads
  WHERE attempt_id = $1 AND channel = $2`;

/** A write holds the row until it is committed. */
const LOCK_HEAD = `
  SELECT 1
  FROM log_heads
  WHERE attempt_id = $1 AND channel = $2
  FOR UPDATE`;

const LAST_INDEX = `
  SELECT last_index
  FROM log_chunks
  WHERE attempt_id = $1 AND channel = $2 AND execution_id = $3
  ORDER BY last_index DESC
  LIMIT 1`;

/** Walks the index of the attempt's chunks without reading their entries. */
const FIRST_INDEX = `
  SELECT first_index
  FROM log_chunks
  WHERE attempt_id = $1 AND channel = $2 AND execution_id = $3
  ORDER BY last_index
  LIMIT 1`;

const CHUNKS = `
  SELECT first_index, last_index, execution_id, created_at, entries
  FROM log_chunks
  WHERE attempt_id = $1 AND channel = $2 AND last_index >= $3 AND first_index <= $4
  ORDER BY last_index`;
const OLDEST_CHUNKS = `${CHUNKS} LIMIT ${CHUNKS_A_QUERY}`;
const NEWEST_CHUNKS = `${CHUNKS} DESC LIMIT ${CHUNKS_A_QUERY}`;

const DELETE_LOGS = `
  WITH heads AS (
    DELETE FROM log_heads WHERE attempt_id = ANY($1)
  ), conversations AS (
    DELETE FROM agent_session_files WHERE attempt_id = ANY($1)
  ), given_back AS (
    UPDATE executions SET log_bytes = 0 WHERE attempt_id = ANY($1) AND log_bytes > 0
  )
  DELETE FROM log_chunks WHERE attempt_id = ANY($1)`;

/** A turn that begins locks the attempt first; one that was faster has written since and keeps its heads. */
const PRUNE = `
  WITH old AS (
    SELECT a.id
    FROM attempts a
    WHERE EXISTS (SELECT 1 FROM log_heads h WHERE h.attempt_id = a.id)
      AND NOT EXISTS (
        SELECT 1 FROM log_heads h
        WHERE h.attempt_id = a.id AND h.last_activity_at >= now() - $1 * interval '1 day'
      )
      AND NOT EXISTS (
        SELECT 1 FROM executions e WHERE e.attempt_id = a.id AND e.status IN ('queued', 'running')
      )
    LIMIT $2
    FOR UPDATE OF a SKIP LOCKED
  ), heads AS (
    DELETE FROM log_heads
    WHERE attempt_id IN (SELECT id FROM old) AND last_activity_at < now() - $1 * interval '1 day'
  ), chunks AS (
    DELETE FROM log_chunks WHERE attempt_id IN (SELECT id FROM old)
  ), conversations AS (
    DELETE FROM agent_session_files WHERE attempt_id IN (SELECT id FROM old)
  ), given_back AS (
    UPDATE executions SET log_bytes = 0 WHERE attempt_id IN (SELECT id FROM old) AND log_bytes > 0
  )
  SELECT count(*)::int AS attempts FROM old`;

const APPEND = `
WITH fence AS (
  SELECT stop_requested_at IS NOT NULL AS stop, stop_forced AS force
  FROM executions
  WHERE id = $2 AND status = 'running' AND job_id = $3
), head AS (
  INSERT INTO log_heads AS h (attempt_id, channel, next_index, last_activity_at, dropped_entries, bytes, plan)
  SELECT $1, $4::text, $5::int, now(), $7::int, octet_length($6::text), $8::jsonb FROM fence
  ON CONFLICT (attempt_id, channel) DO UPDATE SET
    next_index = h.next_index + excluded.next_index,
    last_activity_at = now(),
    dropped_entries = h.dropped_entries + excluded.dropped_entries,
    bytes = h.bytes + excluded.bytes,
    plan = coalesce(excluded.plan, h.plan)
  RETURNING next_index
), chunk AS (
  INSERT INTO log_chunks (attempt_id, channel, first_index, last_index, execution_id, created_at, entries)
  SELECT $1, $4, next_index - $5, next_index - 1, $2, now(), $6::text::jsonb FROM head WHERE $5 > 0
)
SELECT stop, force, next_index - 1 AS last_index FROM fence, head`;

const APPEND_EVENT = `
WITH head AS (
  INSERT INTO log_heads AS h (attempt_id, channel, next_index, last_activity_at, bytes)
  VALUES ($1, 'events', 1, now(), octet_length($3::text))
  ON CONFLICT (attempt_id, channel) DO UPDATE SET
    next_index = h.next_index + 1,
    last_activity_at = now(),
    bytes = h.bytes + excluded.bytes
  RETURNING next_index
)
INSERT INTO log_chunks (attempt_id, channel, first_index, last_index, execution_id, created_at, entries)
SELECT $1, 'events', next_index - 1, next_index - 1, $2, now(), $3::text::jsonb FROM head`;
