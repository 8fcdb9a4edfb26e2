import { final, retryable } from '../platform/errors/error-row.js';

/** Repositories, and the remotes they name. */
export const gitErrors = {
  repo_invalid: final(
    400,
    'The repository cannot be used: {reason}.',
    'Pass the absolute path of a git repository on this server that has at least one commit.',
    'Give the whole path of a git repository on this server that has at least one commit.',
  ),
  repo_locked: retryable(
    409,
    'Another git process holds a lock on the repository.',
    'Wait until the other git command has finished, then retry.',
  ),
  git_failed: final(
    502,
    'git failed: {reason}.',
    'Read details.reason; check the repository on the server, then retry.',
    'Check the repository on the server, then try again.',
  ),
  remote_refused: final(
    409,
    'The remote {remote} of {repo_name} refused the push: {message}.',
    'Do what the message of the remote asks for, then push again.',
  ),
  remote_auth_failed: final(
    502,
    'The remote {remote} of {repo_name} does not accept the credentials of this server: {reason}.',
    'Have the operator configure a token for its host in FORGES_FILE, or a credential helper or key for git.',
    'Ask whoever runs the server to give it access there.',
  ),
  remote_not_found: final(
    502,
    'The remote {remote} of {repo_name} has no such repository, or does not show it: {reason}.',
    'Correct the URL of the remote, or have the operator give this server access to it.',
  ),
  remote_unreachable: retryable(
    502,
    'The remote {remote} of {repo_name} cannot be reached: {reason}.',
    'Repeat the call later; if it persists, have the operator check the network and the remote.',
    'Try again later; if it stays so, ask whoever runs the server to check the network.',
  ),
};
