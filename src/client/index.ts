import { type Calls, callsOf, type ClientOptions } from './calls.js';
import {
  type AttemptStatus,
  events,
  followLog,
  type LogEntry,
  type ProjectEvent,
  waitForAttempt,
} from './following.js';

export type { components, paths } from '../pages/client/generated/api.js';
export type { ClientOptions, Schemas } from './calls.js';
export type { AttemptStatus, LogEntry, ProjectEvent } from './following.js';
export { type NextRequest, TaskyardError } from './taskyard-error.js';

/** All but the first parameter. */
type Rest<F> = F extends (calls: Calls, ...rest: infer R) => unknown ? R : never;

export interface TaskyardClient extends Calls {
  waitForAttempt(...given: Rest<typeof waitForAttempt>): Promise<AttemptStatus>;
  followLog(...given: Rest<typeof followLog>): AsyncGenerator<LogEntry>;
  events(...given: Rest<typeof events>): AsyncGenerator<ProjectEvent>;
}

/** A client of one server: every operation of its API, and what takes more than one request. */
export function createClient(options: ClientOptions): TaskyardClient {
  const calls = callsOf(options);
  return {
    ...calls,
    waitForAttempt: (...given) => waitForAttempt(calls, ...given),
    followLog: (...given) => followLog(calls, ...given),
    events: (...given) => events(calls, ...given),
  };
}
