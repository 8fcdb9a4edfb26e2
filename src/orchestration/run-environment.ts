import type { Attempt } from '../attempts/attempt.entity.js';
import { agentEnvironment } from '../config/child-environment.js';
import type { Environment } from '../config/environment.js';

/** What a run sees: the allow-listed environment and where it is. Never the server's own settings. */
export function runEnvironment(
  environment: Environment,
  attempt: Attempt,
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    ...agentEnvironment(environment.AGENT_ENV),
    ...extra,
    TASKYARD_PROJECT_ID: attempt.project_id,
    TASKYARD_TASK_ID: attempt.task_id,
    TASKYARD_ATTEMPT_ID: attempt.id,
    TASKYARD_BRANCH: attempt.branch,
  };
}
