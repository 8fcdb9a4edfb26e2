import { final, retryable } from './error-row.js';

/** The request itself: its address, its body, its arguments, its key. */
export const requestErrors = {
  invalid_argument: final(
    400,
    'The arguments are not valid: {summary}.',
    'Correct the fields listed in details.fields, then call again.',
  ),
  ambiguous_target: final(
    400,
    'More than one target was given: {given}.',
    'Pass exactly one of {allowed}; attempt_id is enough and selects its latest session.',
  ),
  missing_target: final(
    400,
    'No target was given.',
    'Pass exactly one of {allowed}; {op:list_task_attempts} returns attempt_id.',
  ),
  mixed_pagination: final(
    400,
    '{given} are mutually exclusive.',
    'Use only one pagination mode: cursor pages older history, after_entry_index returns newer entries.',
  ),
  schema_profile_unknown: final(
    400,
    'Schema profile {schema} does not exist.',
    'Use ?schema= with one of: {known}, or omit it.',
  ),
  malformed_body: final(
    400,
    'The request body is not valid JSON.',
    'Send one JSON object with the content type application/json.',
  ),
  tool_unknown: final(
    404,
    'This endpoint has no tool named {tool}.',
    'Call one of {similar}; tools/list returns every tool with its arguments.',
  ),
  toolset_unknown: final(404, 'Toolset {toolset} does not exist.', 'Use one of: {known}.'),
  route_not_found: final(
    404,
    'No route matches {method} {path}.',
    'See /api/docs for the routes of this server; agents use POST /mcp.',
  ),
  method_not_allowed: final(
    405,
    'This endpoint does not support {method}.',
    'Use POST with one JSON-RPC message; this endpoint keeps no session and no stream.',
  ),
  not_acceptable: final(
    406,
    'The response is JSON, which the Accept header excludes.',
    'Send Accept: application/json, text/event-stream.',
  ),
  payload_too_large: final(
    413,
    'The request body is too large.',
    'Send less than {limit_bytes} bytes; put large texts into the repository instead.',
  ),
  unsupported_media_type: final(415, 'The content type is not supported.', 'Send the body as application/json.'),
  idempotency_key_not_found: final(
    404,
    'No request with the key {key} is known.',
    'The request never arrived, was refused, or has expired: send it again with the same key.',
  ),
  idempotency_conflict: final(
    409,
    'This request_id was already used for a different request.',
    'Generate a new request_id for a new request; repeat the same arguments to get the first result.',
  ),
  idempotency_in_progress: retryable(
    409,
    'The first request with this request_id is still in progress.',
    'Retry with the same request_id and the same arguments in a few seconds.',
  ),
};
