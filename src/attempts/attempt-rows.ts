import type { UsageOutput } from '../executors/usage.dto.js';
import type { AttemptState, PendingApprovalOutput, PlanStepOutput, WaitingReason } from './attempt.dto.js';
import type { DeliveryState } from '../tasks/task.dto.js';
import type { CheckState } from '../tasks/checks-state.dto.js';

/** Of the view attempt_summaries. Times are ISO text. */
export interface AttemptSummaryRow {
  attempt_id: string;
  number: string;
  workspace_branch: string;
  created_at: string;
  updated_at: string;
  latest_session_id: string | null;
  latest_session_executor: string | null;
  state: AttemptState;
  delivery_state: DeliveryState;
  pr_url: string | null;
  checks_state: CheckState | null;
}

/** Of its last run, and what its records say of the delivery. */
export type AttemptOutcome = Pick<AttemptSummaryRow, 'state' | 'delivery_state' | 'updated_at'> & {
  failure_summary: string | null;
};

export interface StatusRow extends AttemptSummaryRow {
  task_id: string;
  project_id: string;
  latest_execution_process_id: string | null;
  failure_summary: string | null;
  stop_requested_at: string | null;
  run_reason: string | null;
  execution_status: string | null;
  execution_updated_at: string | null;
  final_message: string | null;
  log_activity_at: string | null;
  has_queued_message: boolean;
  /** The newest of its agents. */
  plan: PlanStepOutput[] | null;
  /** The oldest that is pending, its time as PostgreSQL writes it. */
  approval: PendingApprovalOutput | null;
  usage: UsageOutput | null;
}

/** What a turn left in the worktrees; null where that could not be found out. */
export interface Assessment {
  changes: { file_count: number; added: number; deleted: number } | null;
  would_conflict: boolean | null;
  /** What tells this work from other work; null also where nobody compares it. */
  work_print: string | null;
}

/** What the latest run left. Counts are null before the first turn has ended. */
export interface WorkRow {
  attempt_id: string;
  files: number | null;
  added: number | null;
  deleted: number | null;
  /** Of the last entries of its log, by chunks; null where it has none. */
  texts: string[][] | null;
}

/** What decides which runner takes the next turn, and when. */
export interface TurnOrigin {
  home: string | null;
  labels: string[];
  priority: number;
}

/** Of a turn that waits for a runner. */
export interface WaitingRow {
  queue_position: number;
  waiting_reason: WaitingReason;
}

export interface ContextRow {
  attempt_id: string;
  workspace_branch: string;
  task_id: string;
  task_title: string;
  task_status: string;
  project_id: string;
  project_name: string;
}
