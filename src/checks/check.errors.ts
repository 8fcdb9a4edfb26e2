import { final, retryable } from '../platform/errors/error-row.js';

/** Checks of the work, before it is delivered. */
export const checkErrors = {
  checks_required: final(
    409,
    'The required checks of this work have not passed: {summary}.',
    'Call {next:get_attempt_delivery} for their state; POST /api/attempts/{attempt_id}/checks runs them again, ' +
      'and {op:follow_up} has the agent repair what failed.',
    'Look at the checks: run them again, or have the agent repair what failed.',
  ),
  checks_running: retryable(
    409,
    'The checks of the attempt are running.',
    'Wait for their end with {next:get_attempt_status wait_ms=20000}, or end them with {op:stop_attempt}.',
    'Wait until they have ended, or stop them.',
  ),
  no_checks: final(
    409,
    'There is nothing to check: {reason}.',
    'Go on without: a maintainer of project {project_id} sets the checks of its repositories, and in its settings ' +
      'whether they warn or block.',
    'A maintainer sets checks in the settings of the project.',
  ),
};
