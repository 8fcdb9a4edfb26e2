import { final, retryable } from '../platform/errors/error-row.js';

/** Attempts, their sessions and their executions. */
export const attemptErrors = {
  attempt_not_found: final(
    404,
    'The attempt was not found.',
    'Call {next:list_task_attempts} with a task_id and use one of its attempt_id values.',
    'Its task may have been deleted; look for it on the board.',
  ),
  session_not_found: final(
    404,
    'The session was not found.',
    'Call {next:get_attempt_status} and use latest_session_id, or pass attempt_id instead.',
    'Reload the page: it shows what there is now.',
  ),
  no_session_yet: retryable(
    409,
    'Attempt {attempt_id} has no session yet.',
    'Call {next:get_attempt_status} with attempt_id {attempt_id} until latest_session_id is non-null, then retry.',
    'It is still being prepared. Try again in a moment.',
  ),
  session_reviews: final(
    409,
    'The session is that of a reviewer, who is sent no messages.',
    'Pass attempt_id {attempt_id} in place of session_id: that is the session of its author.',
    'Write to the agent that works on the attempt.',
  ),
  execution_not_found: final(
    404,
    'The execution was not found.',
    'Call {next:get_attempt_status} and use latest_execution_process_id.',
  ),
};
