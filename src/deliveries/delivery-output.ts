import type { AttemptState } from '../attempts/attempt.dto.js';
import type { Attempt, AttemptRepo } from '../attempts/attempt.entity.js';
import type { Principal } from '../platform/access/principal.js';
import { newId } from '../platform/database/uuid.js';
import type { DeliveryState } from '../tasks/task.dto.js';
import type { Checkout } from '../git/landing.js';
import type { ConflictReport, RepoStanding } from '../workspaces/delivery-host.js';
import type { ConflictOutput } from './conflict.dto.js';
import type { Delivery } from './delivery.entity.js';
import type { DeliveryOutput, RepoDeliveryOutput } from './delivery.dto.js';
import { toPullRequestOutput } from './pull-request.dto.js';
import type { PullRequestRow } from './pull-request.entity.js';

/** State of one repository: its row, its worktree, and the last effective delivery. */
export interface RepoPosition {
  repo: AttemptRepo;
  standing: RepoStanding;
  latest: Delivery | null;
  /** The last push. */
  pushed: Delivery | null;
  /** The newest one. */
  pull_request: PullRequestRow | null;
}

/** Whether the target has all of its work. */
export const isDelivered = ({ is_contained, ahead, uncommitted, operation }: RepoStanding): boolean =>
  operation === null && (is_contained || (ahead === 0 && !uncommitted));

export function stateOfRepo({ repo, standing, latest, pull_request }: RepoPosition): DeliveryState {
  const { operation } = standing;
  if (operation !== null) return operation.unresolved > 0 ? 'conflicted' : 'updating';
  const shown = pull_request && stateOfPullRequest(pull_request, standing);
  if (shown === 'pr_merged') return shown;
  if (isDelivered(standing)) return hasWorked(repo, standing) ? 'merged' : 'none';
  if (shown) return shown;
  if (isPushed(latest, standing)) return 'pushed';
  return wouldLand(standing) ? 'ready' : 'conflicted';
}

const wouldLand = ({ target, is_unrelated, preview }: RepoStanding): boolean =>
  target !== null && !is_unrelated && !preview?.conflict;

const hasWorked = ({ delivered_head, base_commit }: RepoPosition['repo'], { head }: RepoStanding): boolean =>
  head === delivered_head || head !== base_commit;

const isPushed = (latest: Delivery | null, { head, uncommitted }: RepoStanding): boolean =>
  latest?.kind === 'push' && latest.target_after === head && !uncommitted;

/** Null if the work has continued after a closed or merged pull request. */
function stateOfPullRequest(
  { state, head_commit }: PullRequestRow,
  { head, uncommitted }: RepoStanding,
): DeliveryState | null {
  if (state === 'open') return 'pr_open';
  if (state === 'queued') return 'pr_queued';
  if (head !== head_commit || uncommitted) return null;
  return state === 'merged' ? 'pr_merged' : 'pr_closed';
}

/** What is not delivered yet is offered only if the last run ended well. */
export function stateOfAttempt(states: readonly DeliveryState[], run: AttemptState): DeliveryState {
  const state = stateOfAll(states);
  if (run === 'running' && UNDELIVERED.has(state)) return 'running';
  return run === 'failed' && state === 'ready' ? 'failed' : state;
}

const UNDELIVERED = new Set<DeliveryState>(['none', 'ready', 'conflicted', 'updating']);

/** Repositories without work do not count. */
function stateOfAll(states: readonly DeliveryState[]): DeliveryState {
  const busy = (['conflicted', 'updating'] as const).find((state) => states.includes(state));
  if (busy) return busy;
  const [first, ...others] = states.filter((state) => state !== 'none');
  if (first === undefined) return 'none';
  if (others.every((state) => state === first)) return first;
  const delivered = [first, ...others].filter((state) => state === 'merged' || state === 'pr_merged');
  if (delivered.length === others.length + 1) return 'merged';
  return delivered.length > 0 ? 'partly_delivered' : 'ready';
}

/** @param checkout of the target branch; null where it is nowhere checked out */
export function toRepoDelivery(
  position: RepoPosition,
  checkout: Checkout | null,
): Omit<RepoDeliveryOutput, 'has_remote'> {
  const { repo, standing, pushed } = position;
  const { branch, head, target_branch, ahead, behind, uncommitted, preview, operation } = standing;
  return {
    repo_id: repo.repo_id,
    repo_name: repo.repo_name,
    state: stateOfRepo(position),
    branch,
    head,
    target_branch,
    ahead,
    behind,
    uncommitted,
    content_hash: standing.content,
    fetch_error: standing.fetch_error,
    preview: preview && { clean: preview.conflict === null, conflicts: preview.conflict?.files ?? [] },
    checkout: {
      state: checkout === null ? 'none' : checkout.clean ? 'clean' : 'dirty',
      path: checkout?.worktree ?? null,
    },
    operation: operation && toConflictOutput(repo, operation.report),
    remote: pushed?.remote ? { name: pushed.remote, branch: pushed.target_branch, commit: pushed.target_after } : null,
    pull_request: position.pull_request && toPullRequestOutput(position.pull_request),
  };
}

/** The row that every delivery begins with. */
export function newDelivery(
  { repo, standing }: RepoPosition,
  { id: attempt_id, task_id, project_id }: Pick<Attempt, 'id' | 'task_id' | 'project_id'>,
  { actor }: Principal,
) {
  return {
    id: newId(),
    attempt_id,
    task_id,
    project_id,
    repo_id: repo.repo_id,
    state: 'landing' as const,
    source_commit: standing.head,
    base_before: repo.base_commit,
    moved_task: false,
    error_code: null,
    requested_by: actor.name,
  };
}

export const toConflictOutput = (
  { repo_id }: Pick<AttemptRepo, 'repo_id'>,
  report: ConflictReport,
): ConflictOutput => ({
  repo_id,
  ...report,
});

export const toDeliveryOutput = (row: Delivery): DeliveryOutput => ({
  delivery_id: row.id,
  attempt_id: row.attempt_id,
  repo_id: row.repo_id,
  task_id: row.task_id,
  kind: row.kind,
  state: row.state,
  strategy: row.strategy,
  source_commit: row.source_commit,
  target_branch: row.target_branch,
  target_before: row.target_before,
  target_after: row.target_after,
  remote: row.remote,
  error_code: row.error_code,
  requested_by: row.requested_by,
  created_at: row.created_at.toISOString(),
});
