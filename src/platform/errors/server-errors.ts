import { retryable } from './error-row.js';

/** The server and what it depends on. */
export const serverErrors = {
  api_unavailable: retryable(
    503,
    'The Taskyard API is not available: {reason}.',
    'Retry in a few seconds; retry a write with the same request_id. ' +
      'If it persists, check that the server is running and that TASKFLOW_API_URL points to it.',
  ),
  database_unavailable: retryable(
    503,
    'The database does not respond.',
    'Retry in a few seconds, with the same request_id if you sent one, so that nothing is done twice.',
    'Try again in a few seconds: nothing is done twice.',
  ),
  write_conflict: retryable(
    503,
    'Another request was writing the same records.',
    'Retry at once, with the same request_id if you sent one: nothing was written.',
    'Try again: nothing was written.',
  ),
  shutting_down: retryable(503, 'The server is shutting down.', 'Retry in a few seconds, once it has restarted.'),
  isolation_unavailable: retryable(
    503,
    'Runs are started in a container beside this server, and that cannot be reached: {reason}.',
    'Retry once an operator has started `taskyard cell` there, with the CELL_SOCKET of this server; ' +
      '`npm run doctor` says what is found.',
    'Ask whoever runs the server to look at it.',
  ),
  storage_full: retryable(
    507,
    'The disk of the server is full.',
    'Free space under DATA_DIR, then retry.',
    'Ask whoever runs the server to free space.',
  ),
  internal_error: retryable(
    500,
    'An internal error occurred.',
    'Retry once; if it persists, report request id {request_id}.',
  ),
};
