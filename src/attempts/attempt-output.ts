import { lastLines } from '../platform/fields/formats.js';
import type { AttemptSummaryRow, StatusRow, WaitingRow, WorkRow } from './attempt-rows.js';
import type { AttemptOutput, AttemptStatusOutput, AwaitedAttemptOutput, PendingApprovalOutput } from './attempt.dto.js';

const LAST_OUTPUT_BYTES = 1_024;

export const toAttemptOutput = (row: AttemptSummaryRow): AttemptOutput => ({
  attempt_id: row.attempt_id,
  workspace_branch: row.workspace_branch,
  state: row.state,
  created_at: row.created_at,
  updated_at: row.updated_at,
  latest_session_id: row.latest_session_id,
  latest_session_executor: row.latest_session_executor,
  checks_state: row.checks_state,
});

/** Object.assign is many times faster than properties after a spread. */
export const toAttemptStatusOutput = (row: StatusRow, work: WorkRow, waiting: WaitingRow | null): AttemptStatusOutput =>
  Object.assign(toAttemptOutput(row), {
    task_id: row.task_id,
    latest_execution_process_id: row.latest_execution_process_id,
    run_reason: row.run_reason,
    last_activity_at: latest(row.log_activity_at, row.execution_updated_at),
    failure_summary: failureOf(row),
    ended_by: row.state === 'failed' && row.stop_requested_at !== null ? ('stop' as const) : null,
    final_message: row.final_message,
    last_output: lastOutput(work),
    plan: row.plan,
    is_stopping: row.state === 'running' && row.stop_requested_at !== null,
    has_queued_message: row.has_queued_message,
    queue_position: waiting?.queue_position ?? null,
    waiting_reason: waiting?.waiting_reason ?? null,
    approval: row.approval && withUtcTime(row.approval),
    delivery_state: row.delivery_state,
    pr_url: row.pr_url,
    usage: row.usage,
  });

/** @param maxBytes of the last output */
export const toAwaitedOutput = (row: StatusRow, work: WorkRow, maxBytes: number): AwaitedAttemptOutput => ({
  attempt_id: row.attempt_id,
  state: row.state,
  approval: row.approval && withUtcTime(row.approval),
  failure_summary: failureOf(row),
  last_output: lastOutput(work, maxBytes),
  files: work.files,
  added: work.added,
  deleted: work.deleted,
  delivery_state: row.delivery_state,
});

const failureOf = ({ state, failure_summary }: StatusRow): string | null =>
  state === 'failed' ? (failure_summary ?? 'failed') : null;

const lastOutput = ({ texts }: WorkRow, maxBytes = LAST_OUTPUT_BYTES): string | null =>
  lastLines((texts ?? []).flat().join('\n'), Math.min(Math.floor(maxBytes), LAST_OUTPUT_BYTES)).trim() || null;

const withUtcTime = ({ expires_at, ...approval }: PendingApprovalOutput): PendingApprovalOutput => ({
  ...approval,
  expires_at: expires_at && new Date(expires_at).toISOString(),
});

/** ISO text sorts as the times do. */
const latest = (...times: (string | null)[]): string | null =>
  times
    .filter((time) => time !== null)
    .sort()
    .at(-1) ?? null;
