import { final, retryable } from './error-row.js';

/** Who calls, from where, how often, and what they may do. */
export const accessErrors = {
  unauthenticated: final(
    401,
    'A valid bearer token is required.',
    'Send the header "Authorization: Bearer <token>" with the token of this server.',
  ),
  origin_forbidden: final(
    403,
    'Requests from this origin are not allowed.',
    'Add the origin to ALLOWED_ORIGINS, or call without a browser.',
  ),
  host_forbidden: final(
    403,
    'This host name is not allowed.',
    'Call the server by a loopback name, or add the host to ALLOWED_HOSTS.',
  ),
  not_a_member: final(
    403,
    'Not a member of this project',
    'Ask an owner to add the worker with POST /api/projects/{project_id}/members; ' +
      '{op:list_projects} returns the projects the worker belongs to.',
  ),
  forbidden: final(
    403,
    'This is not allowed: {reason}.',
    'Ask someone who is permitted: an owner of the project, or a person where agents are not.',
  ),
  rate_limited: retryable(429, 'Too many requests.', 'Wait {retry_after_secs} seconds, then retry.'),
};
