import { final, retryable } from './error-row.js';

/** Who calls, from where, how often, and what they may do. */
export const accessErrors = {
  unauthenticated: final(
    401,
    'A valid bearer token is required.',
    'Send the header "Authorization: Bearer <token>" with the token of this server.',
    'Sign in again.',
  ),
  origin_forbidden: final(
    403,
    'Requests from this origin are not allowed.',
    'Add the origin to ALLOWED_ORIGINS, or call without a browser.',
    'Ask whoever runs the server to allow this address.',
  ),
  host_forbidden: final(
    403,
    'This host name is not allowed.',
    'Call the server by a loopback name, or add the host to ALLOWED_HOSTS.',
    'Ask whoever runs the server to allow this address.',
  ),
  not_a_member: final(
    403,
    'Not a member of this project',
    'Ask an owner to add the worker with POST /api/projects/{project_id}/members; ' +
      '{next:list_projects} returns the projects the worker belongs to.',
    'Ask an owner of the project to add you.',
  ),
  insufficient_scope: final(
    403,
    'The scope {scope} is missing.',
    'Call with a token that has the scope {scope}, or ask an owner of the project for a role that includes it.',
    'Ask an owner of the project for a role that includes it.',
  ),
  act_as_required: final(
    403,
    'Only a caller with the scope act_as may name another user.',
    'Leave user_id and X-User-Id out or name yourself, as GET /api/me returns you, or use a token with act_as.',
    'Do it in your own name.',
  ),
  token_not_found: final(404, 'Token {token_id} was not found.', 'Use a token_id from GET /api/tokens.'),
  auth_unavailable: retryable(
    503,
    'The token cannot be checked now: its issuer does not answer.',
    'Retry in a few seconds; if it persists, check OIDC_ISSUER and the network to it.',
  ),
  forbidden: final(
    403,
    'This is not allowed: {reason}.',
    'Ask someone who is allowed to: an owner of the project, or a person if agents are not.',
  ),
  rate_limited: retryable(429, 'Too many requests.', 'Wait {retry_after_secs} seconds, then retry.'),
  too_much_stored: final(
    429,
    'Too much is stored: {stored} bytes, the limit {limit} is {most}.',
    'Delete tasks that are no longer needed: their logs and saved work are freed within minutes. Or ask the ' +
      'operator of the server to raise the limit.',
  ),
  too_many_streams: retryable(
    429,
    'Too many event streams and long polls are open: {open}, the limit {limit}.',
    'Close some of them, or call without wait_ms; then retry.',
    'Close some tabs of this page, then try again.',
  ),
};
