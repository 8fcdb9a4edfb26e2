import type { ProcessEnd } from '../platform/process/process-types.js';
import type { Outcome } from './executor.js';

/** The end of a process in words, where nothing but the process shows how it went. */
export function describeEnd({ exit_code, signal, spawn_error }: ProcessEnd): Outcome {
  if (spawn_error !== null) return failed(`could not start: ${spawn_error}`);
  if (signal !== null) return failed(`ended by ${signal}`);
  return exit_code === 0 ? { status: 'completed', failure_summary: null } : failed(`failed (exit_code=${exit_code})`);
}

const failed = (failure_summary: string): Outcome => ({
  status: 'failed',
  failure_summary,
  error: { type: 'error_message', content: failure_summary, error_kind: 'failed' },
});
