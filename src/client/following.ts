import { setTimeout as delay } from 'node:timers/promises';
import type { Calls, Schemas } from './calls.js';
import { AGAIN_MS, type OpenStream, resumed } from './event-stream.js';
import { isAway } from './taskyard-error.js';

export type AttemptStatus = Schemas['AttemptStatusOutput'];
export type LogEntry = Schemas['LogEntryOutput'];
export type ProjectEvent = Schemas['EventOutput'];

interface Abortable {
  signal?: AbortSignal | undefined;
}

interface FollowOptions extends Abortable {
  channel?: 'normalized' | 'raw';
  after?: number;
  first?: string | null;
}

/** The longest that the server holds a request. */
const HOLD_MS = 30_000;
/** Between one execution of an attempt and the next. */
const LOOK_AGAIN_MS = 200;
const PAGE = 500;

/** The status of an attempt once it no longer runs, or once a person is asked to approve something (`approval`).
 *  @param seen an approval that does not end the waiting */
export async function waitForAttempt(
  { GET }: Calls,
  attempt_id: string,
  { seen, signal }: Abortable & { seen?: string } = {},
): Promise<AttemptStatus> {
  const ask = patiently(signal);
  for (let wait_ms = 0; ; wait_ms = HOLD_MS) {
    const query = { wait_ms, ...(seen !== undefined && { while_approval: seen }) };
    const params = { path: { attempt_id }, query };
    const status = await ask(() => GET('/api/attempts/{attempt_id}', { params, signal: signal ?? null }));
    if (status.state !== 'running' || (status.approval && status.approval.approval_id !== seen)) return status;
  }
}

/** The log of an attempt, one turn after the other, until it no longer runs.
 *  @param channel normalized: messages and tool calls, the default; raw: lines of output
 *  @param after the `entry_index` to go on behind
 *  @param first the execution that it begins with, which a start tells: it is then not asked for */
export async function* followLog(
  calls: Calls,
  attempt_id: string,
  { channel = 'normalized', after = -1, first, signal }: FollowOptions = {},
): AsyncGenerator<LogEntry> {
  const ask = patiently(signal);
  const followed = new Set<string>();
  let known = first ? [first] : null;
  for (let last = after; ; known = null) {
    const executions = known ?? (await ask(() => newExecutions(calls, attempt_id, followed)));
    for (const execution_process_id of executions) {
      followed.add(execution_process_id);
      const open = executionStream(calls, { execution_process_id, channel, last });
      for await (const entries of entriesUntilEnd(open, signal))
        for (const entry of entries) {
          last = entry.entry_index;
          yield entry;
        }
    }
    if (executions.length > 0) continue;
    if (await ask(() => isOver(calls, attempt_id, followed))) return;
    await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
}

/** Events of a project, or of all that the caller sees.
 *  @param after the `number` to go on behind; default: from now on */
export async function* events(
  { GET }: Calls,
  { project_id, after, signal }: Abortable & { project_id?: string; after?: number } = {},
): AsyncGenerator<ProjectEvent> {
  const query = { ...(project_id !== undefined && { project_id }), ...(after !== undefined && { after }) };
  const open: OpenStream = (lastId, line) => GET('/api/events', { params: { query }, ...streamed(lastId, line) });
  for await (const heard of resumed(open, signal))
    for (const { event, data } of heard) if (event === 'event') yield JSON.parse(data) as ProjectEvent;
}

/** Of one execution, as they come. */
async function* entriesUntilEnd(open: OpenStream, signal?: AbortSignal): AsyncGenerator<LogEntry[]> {
  for await (const heard of resumed(open, signal)) {
    const end = heard.findIndex(({ event }) => event === 'end');
    const entries = end < 0 ? heard : heard.slice(0, end);
    yield entries.map(({ data }) => JSON.parse(data) as LogEntry);
    if (end >= 0) return;
  }
}

/** Asks a server that has answered once until it answers again: lines break, and servers are started anew. */
function patiently(signal?: AbortSignal): <T>(read: () => Promise<T>) => Promise<T> {
  let hasAnswered = false;
  return async (read) => {
    for (;;) {
      try {
        const answer = await read();
        hasAnswered = true;
        return answer;
      } catch (error) {
        if (!hasAnswered || !isAway(error)) throw error;
        await delay(AGAIN_MS, undefined, { signal });
      }
    }
  };
}

async function isOver({ GET }: Calls, attempt_id: string, followed: ReadonlySet<string>): Promise<boolean> {
  const about = { params: { path: { attempt_id } } };
  const { state, latest_execution_process_id: latest } = await GET('/api/attempts/{attempt_id}', about);
  return state !== 'running' && (latest === null || followed.has(latest));
}

/** Oldest first, without what serves the page of an attempt meanwhile, which has no end. */
async function newExecutions({ GET }: Calls, attempt_id: string, followed: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: number | null = null; ;) {
    const query = { limit: PAGE, ...(cursor !== null && { cursor }) };
    const params = { path: { attempt_id }, query };
    const page: Schemas['ListExecutionsOutput'] = await GET('/api/attempts/{attempt_id}/executions', { params });
    const fresh = page.executions.filter(({ execution_process_id }) => !followed.has(execution_process_id));
    const turns = fresh.filter(({ run_reason }) => run_reason !== 'devserver');
    found.push(...turns.map(({ execution_process_id }) => execution_process_id));
    cursor = page.next_cursor;
    if (cursor === null || fresh.length < page.executions.length) return found.reverse();
  }
}

interface LogPlace {
  execution_process_id: string;
  channel: 'normalized' | 'raw';
  last: number;
}

const executionStream =
  ({ GET }: Calls, { execution_process_id, channel, last }: LogPlace): OpenStream =>
  (lastId, line) => {
    const params = { path: { execution_process_id }, query: { channel, after_entry_index: last } };
    return GET('/api/executions/{execution_process_id}/logs/stream', { params, ...streamed(lastId, line) });
  };

const streamed = (lastId: string | null, signal: AbortSignal) => ({
  parseAs: 'stream' as const,
  signal,
  headers: { accept: 'text/event-stream', ...(lastId !== null && { 'last-event-id': lastId }) },
});
