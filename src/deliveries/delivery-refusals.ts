import { worktreeErrors } from '../attempts/attempts.controller.js';
import type { ErrorCode } from '../platform/errors/error-catalogue.js';

/** Error codes of deliveries over REST; longer lists are composed of shorter ones. */
export const forgeErrors: ErrorCode[] = [
  'forge_unconfigured',
  'forge_failed',
  'forge_rate_limited',
  'forge_auth_failed',
];
const subjectErrors: ErrorCode[] = [
  'attempt_not_found',
  'not_a_member',
  'repo_not_found',
  'forbidden',
  'session_busy',
  'checks_running',
  ...worktreeErrors,
];
const fetchErrors: ErrorCode[] = ['remote_unreachable', 'remote_auth_failed', 'remote_not_found'];
const remoteErrors: ErrorCode[] = [...fetchErrors, 'remote_refused', 'no_remote'];
const reviewErrors: ErrorCode[] = ['attempt_failed', 'head_moved', 'content_moved'];
const branchErrors: ErrorCode[] = ['operation_in_progress', 'branch_left'];

export const renameErrors: ErrorCode[] = [...subjectErrors, 'branch_taken', 'pull_request_open'];
export const targetErrors: ErrorCode[] = [...subjectErrors, 'no_remote', 'target_not_on_remote', ...forgeErrors];
export const undoErrors: ErrorCode[] = [
  ...subjectErrors,
  ...remoteErrors,
  'target_moved',
  'target_checked_out',
  'target_checkout_dirty',
  'approval_required',
  'nothing_to_undo',
];
export const mergeErrors: ErrorCode[] = [
  ...undoErrors.filter((code) => code !== 'nothing_to_undo'),
  ...branchErrors,
  ...reviewErrors,
  'unrelated_histories',
  'merge_conflict',
  'strategy_not_possible',
  'partly_delivered',
  'pull_request_open',
  'too_many_streams',
  'checks_required',
];
const branchPushErrors: ErrorCode[] = [
  ...subjectErrors,
  ...remoteErrors,
  ...branchErrors,
  ...reviewErrors,
  'foreign_head',
  'push_rejected',
  'partly_delivered',
  'checks_required',
];
export const forcePushErrors: ErrorCode[] = [...branchPushErrors, 'approval_required'];
export const pushErrors: ErrorCode[] = [...forcePushErrors, 'comment_not_found', ...forgeErrors];
export const updateErrors: ErrorCode[] = [
  ...subjectErrors,
  ...fetchErrors,
  ...branchErrors,
  'no_operation',
  'conflicts_unresolved',
  'unrelated_histories',
  'no_session_yet',
  'executor_takes_scripts',
  'executor_unavailable',
  'variant_unknown',
  'secret_missing',
  'isolation_unavailable',
  'network_unavailable',
  'too_many_runs',
  'too_much_stored',
];

export const changePullRequestErrors: ErrorCode[] = [...subjectErrors, ...forgeErrors, 'pull_request_not_found'];
export const attachErrors: ErrorCode[] = [...changePullRequestErrors, 'pull_request_foreign'];
export const openErrors: ErrorCode[] = [
  ...attachErrors,
  ...branchPushErrors.filter((code) => !subjectErrors.includes(code)),
  'nothing_to_deliver',
  'target_not_on_remote',
];
export const closePullRequestErrors: ErrorCode[] = [...changePullRequestErrors, 'approval_required'];
export const mergePullRequestErrors: ErrorCode[] = [
  ...closePullRequestErrors,
  'pull_request_not_mergeable',
  'head_moved',
  'strategy_not_possible',
  'queue_unavailable',
  'checks_required',
];
export const answerErrors: ErrorCode[] = [
  'approval_not_found',
  'approval_settled',
  ...new Set([...mergeErrors, ...undoErrors, ...pushErrors, ...mergePullRequestErrors, 'uncommitted_changes' as const]),
];
