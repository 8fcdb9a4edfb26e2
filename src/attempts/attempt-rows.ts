import type { UsageOutput } from '../executors/usage.dto.js';
import type { AttemptState, WaitingReason } from './attempt.dto.js';
import type { DeliveryState } from '../tasks/task.dto.js';

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
}

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
  waiting_for_approval: boolean;
  usage: UsageOutput;
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
