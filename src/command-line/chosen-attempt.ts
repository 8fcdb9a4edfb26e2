import { CommandFailure, exits } from './exits.js';
import { requireProject } from './folder.js';
import type { Session } from './session.js';

/** Where commands look that are told no attempt. */
export interface AttemptPlace {
  project?: string;
  repo?: string;
}

/** The newest tasks, one of which has the latest attempt. */
const LOOKED_AT = 500;

/** The attempt that a command means: the given one, else the one that was started last in the project of the folder.
 *  @throws CommandFailure where there is none */
export async function chosenAttempt(session: Session, given: string | undefined, place: AttemptPlace): Promise<string> {
  if (given !== undefined) return given;
  const { project_id, name } = await requireProject(session, place);
  const query = { limit: LOOKED_AT, fields: ['latest_attempt_id'] };
  const { tasks } = await session.client.GET('/api/projects/{project_id}/tasks', {
    params: { path: { project_id }, query },
  });
  const attempts = tasks.flatMap(({ latest_attempt_id }) => latest_attempt_id ?? []).sort(); // ids grow with time
  const latest = attempts.at(-1);
  if (latest === undefined)
    throw new CommandFailure(`project ${name} has no attempt yet`, exits.failed, 'taskyard run "…"');
  return latest;
}
