import type { CheckResult } from './check.entity.js';

/** One that nothing is known of yet. */
export const newResult = (
  about: Pick<CheckResult, 'run_id' | 'attempt_id' | 'position' | 'repo_id' | 'version' | 'definition'>,
): CheckResult => ({
  ...about,
  name: about.definition.name,
  required: about.definition.required,
  state: 'pending',
  head: null,
  target: null,
  base: null,
  merged: null,
  exit_code: null,
  duration_ms: null,
  execution_id: null,
  baseline_execution_id: null,
  tries: 0,
  losses: 0,
  failed_before: null,
  reason: null,
  tail: null,
});
