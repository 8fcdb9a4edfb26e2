import { final } from '../platform/errors/error-row.js';

/** The endpoint, its tools and its schema profiles. */
export const mcpErrors = {
  schema_profile_unknown: final(
    400,
    'Schema profile {schema} does not exist.',
    'Use ?schema= with one of: {known}, or omit it.',
  ),
  tool_unknown: final(404, 'This endpoint has no tool named {tool}.', 'Call one of {similar}.', ''),
  toolset_unknown: final(404, 'Toolset {toolset} does not exist.', 'Use one of: {known}.'),
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
};
