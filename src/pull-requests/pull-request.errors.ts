import { final } from '../platform/errors/error-row.js';

/** The pull requests of an attempt. */
export const pullRequestErrors = {
  pull_request_not_mergeable: final(
    409,
    'The pull request cannot be merged: {reason}.',
    'Call {next:get_pull_request} for its checks, reviews and conflicts, and {op:follow_up} to have the cause fixed.',
    'Look at its checks, reviews and conflicts, and have the agent fix the cause.',
  ),
  pull_request_open: final(
    409,
    'A pull request is open for {repo_name}: {url}.',
    'Merge or close it with {op:merge_pull_request} first.',
    'Merge or close that one first.',
  ),
  pull_request_foreign: final(
    409,
    'The pull request does not belong to this attempt: {reason}.',
    'Call {op:open_pull_request} with action=open: it finds or opens the one of this branch.',
    'Open one for this branch instead.',
  ),
  queue_unavailable: final(
    409,
    'The repository has no merge queue on {host}.',
    'Call {op:merge_pull_request} with action=merge.',
    'Merge the pull request directly.',
  ),
  target_not_on_remote: final(
    409,
    'The target branch {target_branch} of {repo_name} is not on its remote.',
    'Push {target_branch} to the remote, or give the attempt a target that is there.',
  ),
};
