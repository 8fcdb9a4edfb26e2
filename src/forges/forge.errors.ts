import { final, retryable } from '../platform/errors/error-row.js';

/** Forges, and what they keep. */
export const forgeErrors = {
  forge_unconfigured: final(
    503,
    'No forge is configured for {host}.',
    'Have the operator add {host} to FORGES_FILE, or merge with {op:merge_attempt}.',
    'Ask whoever runs the server to add it, or merge here.',
  ),
  forge_failed: retryable(
    502,
    'The forge {host} failed: {reason}.',
    'Repeat the call in a moment: what was already done is found, and nothing is done twice.',
    'Try again in a moment: nothing is done twice.',
  ),
  forge_rate_limited: retryable(
    429,
    'The forge {host} accepts no more requests for now.',
    'Repeat the call in {retry_after_secs} seconds.',
    'Try again in {retry_after_secs} seconds.',
  ),
  forge_auth_failed: final(
    502,
    'The forge {host} does not accept the token of this server: {reason}.',
    'Have the operator check the token of {host} and what it allows.',
  ),
  pull_request_not_found: final(
    404,
    'There is no such pull request: {reason}.',
    '{next:get_attempt_delivery} shows what there is. {op:open_pull_request} opens one with action=open, and ' +
      'takes over another with action=attach and its URL.',
    'It may have been closed or deleted there.',
  ),
  forge_repository_not_found: final(
    404,
    '{host} shows no issues of {repository} to the holder of its token.',
    'Check owner and name, and have the operator check what the token of {host} may read.',
    'Check its name, and what this server may read there.',
  ),
  nothing_to_deliver: final(
    409,
    'The branch of {repo_name} holds nothing that {target_branch} lacks.',
    'Call {op:follow_up} to have work done first; {next:get_attempt_delivery} shows what the branch holds.',
    'Let the agent do some work first.',
  ),
};
