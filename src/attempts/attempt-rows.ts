import type { AttemptState } from './attempt.dto.js';
import type { WorkspaceState } from './attempt.entity.js';

/** A row of the view attempt_summaries. */
export interface AttemptSummaryRow {
  attempt_id: string;
  number: string;
  task_id: string;
  project_id: string;
  workspace_branch: string;
  workspace_state: WorkspaceState;
  runner_id: string | null;
  created_at: Date;
  updated_at: Date;
  latest_session_id: string | null;
  latest_session_executor: string | null;
  latest_execution_process_id: string | null;
  failure_summary: string | null;
  stop_requested_at: Date | null;
  run_reason: string | null;
  execution_updated_at: Date | null;
  state: AttemptState;
}

export interface StatusRow extends AttemptSummaryRow {
  final_message: string | null;
  log_activity_at: Date | null;
  has_queued_message: boolean;
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
