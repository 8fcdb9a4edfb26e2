import { final } from './error-row.js';

/** The request itself: its address, its body, its arguments, its key. */
export const requestErrors = {
  invalid_argument: final(
    400,
    'The arguments are not valid: {summary}.',
    'Correct the fields listed in details.fields, then call again.',
    'Correct it, then try again.',
  ),
  ambiguous_target: final(
    400,
    'More than one target was given: {given}.',
    'Pass exactly one of {allowed}; attempt_id is enough and selects its latest session.',
  ),
  missing_target: final(
    400,
    'No target was given.',
    'Pass exactly one of {allowed}; {next:list_task_attempts} returns attempt_id.',
  ),
  mixed_pagination: final(
    400,
    '{given} are mutually exclusive.',
    'Use only one pagination mode: cursor pages older history, after_entry_index returns newer entries.',
  ),
  query_too_broad: final(
    422,
    'This asks for more than the database reads in the time of one statement.',
    'Ask for less, with {narrow}.',
    'Choose a project, or ask with more words.',
  ),
  malformed_body: final(
    400,
    'The request body is not valid JSON.',
    'Send one JSON object with the content type application/json.',
  ),
  route_not_found: final(
    404,
    'No route matches {method} {path}.',
    'See /api/docs for the routes of this server; agents use POST /mcp.',
  ),
  payload_too_large: final(
    413,
    'The request body is too large.',
    'Send less than {limit_bytes} bytes; put large texts into the repository instead.',
  ),
  unsupported_media_type: final(415, 'The content type is not supported.', 'Send the body as application/json.'),
};
