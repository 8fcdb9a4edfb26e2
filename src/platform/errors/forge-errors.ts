import { final, retryable } from './error-row.js';

/** Pull requests, and the forges that keep them. */
export const forgeErrors = {
  forge_unconfigured: final(
    503,
    'No forge is configured for {host}.',
    'Have the operator add {host} to FORGES_FILE, or merge with {op:merge_attempt}.',
  ),
  forge_failed: retryable(
    502,
    'The forge {host} failed: {reason}.',
    'Repeat the call in a moment: what was done meanwhile is found again, and nothing is done twice.',
  ),
  forge_rate_limited: retryable(
    429,
    'The forge {host} takes no more requests for now.',
    'Repeat the call in {retry_after_secs} seconds.',
  ),
  forge_auth_failed: final(
    502,
    'The forge {host} does not accept the token of this server: {reason}.',
    'Have the operator check the token of {host} and what it allows.',
  ),
  pull_request_not_found: final(
    404,
    'There is no such pull request: {reason}.',
    'Call {op:open_pull_request} with action=open, or with action=attach and the URL of one that is there.',
  ),
  pull_request_not_mergeable: final(
    409,
    'The pull request cannot be merged: {reason}.',
    'Call {op:get_pull_request} for its checks, reviews and conflicts, and {op:follow_up} to have the cause removed.',
  ),
  pull_request_open: final(
    409,
    'A pull request is open for {repo_name}: {url}.',
    'Merge or close it with {op:merge_pull_request} first.',
  ),
  pull_request_foreign: final(
    409,
    'The pull request does not belong to this attempt: {reason}.',
    'Call {op:open_pull_request} with action=open: it finds the one of this branch, or opens it.',
  ),
  queue_unavailable: final(
    409,
    'The repository has no merge queue on {host}.',
    'Call {op:merge_pull_request} with action=merge.',
  ),
  target_not_on_remote: final(
    409,
    'The target branch {target_branch} of {repo_name} is not on its remote.',
    'Push {target_branch} to the remote, or have the attempt go to a branch that is there.',
  ),
  nothing_to_deliver: final(
    409,
    'The branch of {repo_name} holds nothing that {target_branch} lacks.',
    'Call {op:follow_up} to have work done first; {op:get_attempt_delivery} says where the branch stands.',
  ),
  comment_not_found: final(
    404,
    'Comment {comment_id} does not belong to a pull request of this attempt.',
    'Take comment_id from {op:get_pull_request}.',
  ),
} as const;
