import type { AttemptOutcome } from '../attempts/attempt-rows.js';
import { AppError } from '../platform/errors/app-error.js';

/** An attempt with what became of its last run. */
interface Ended {
  attempt: { id: string };
  outcome: AttemptOutcome;
}

/** Nobody takes the work of a run that failed or was stopped for finished work. @throws AppError attempt_failed */
export function requireSuccess({ attempt, outcome }: Ended, allow_failed = false): void {
  const failure = failureOf(attempt.id, outcome);
  if (!allow_failed && failure !== null) throw failure;
}

export const failureOf = (attempt_id: string, { state, failure_summary }: AttemptOutcome): AppError | null =>
  state === 'failed' ? new AppError('attempt_failed', { attempt_id, reason: failure_summary ?? 'failed' }) : null;
