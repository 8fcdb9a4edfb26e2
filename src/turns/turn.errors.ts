import { final, retryable } from '../platform/errors/error-row.js';

/** Turns: one at a time for each attempt, and not too many. */
export const turnErrors = {
  session_busy: retryable(
    409,
    'The attempt already has a live run.',
    'Use {next:follow_up action=queue prompt} to run after it, {op:stop_attempt} to end it, or ' +
      '{next:get_attempt_status wait_ms=20000} to wait for it; it says whether the run waits for an approval.',
    'Queue the message behind the run, or stop the run first.',
  ),
  delivery_in_progress: retryable(
    409,
    'The work of the attempt is being delivered or updated.',
    'Use {next:follow_up action=queue prompt} to run after it, or retry in a moment.',
    'Wait a moment, then try again.',
  ),
  message_gone: final(
    409,
    'The message does not wait any more: it runs, has run, or was dropped.',
    'GET /api/sessions/{session_id}/queue lists what waits, GET /api/sessions/{session_id}/messages what has run.',
    'Look into the conversation: it may have been sent.',
  ),
  continuation_gone: final(
    409,
    'Nothing is due by that id any more: it was sent or dropped, or did not help.',
    'List what is due of the attempt; the rest there says what became of it.',
    'Look at the attempt: it may have gone on.',
  ),
  too_many_runs: retryable(
    429,
    'Too many turns are waiting or running: {live}, the limit {limit}.',
    'Wait until some of them have ended ({op:get_attempt_status} with wait_ms waits), or stop one; then retry.',
    'Wait until some of them have ended, or stop one.',
  ),
};
