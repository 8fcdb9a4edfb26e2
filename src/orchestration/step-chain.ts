import type { RunReason } from '../executions/execution.entity.js';

export interface ScriptedRepo {
  repo_id: string;
  setup_script: string | null;
  cleanup_script: string | null;
}
export interface Step {
  run_reason: RunReason;
  repo_id: string | null;
}

/** The first step of a turn: setup scripts that have not yet succeeded in this attempt, one after another, then the agent. */
export function firstStep(repos: readonly ScriptedRepo[], completedSetups: readonly string[]): Step {
  const pending = repos.find((repo) => repo.setup_script !== null && !completedSetups.includes(repo.repo_id));
  return pending
    ? { run_reason: 'setupscript', repo_id: pending.repo_id }
    : { run_reason: 'codingagent', repo_id: null };
}

/** The step after one that went well; null at the end of the turn. */
export function nextStep(done: Step, repos: readonly ScriptedRepo[], completedSetups: readonly string[]): Step | null {
  if (done.run_reason === 'setupscript') return firstStep(repos, completedSetups);
  const from = done.run_reason === 'codingagent' ? 0 : repos.findIndex((repo) => repo.repo_id === done.repo_id) + 1;
  const next = repos.slice(from).find((repo) => repo.cleanup_script !== null);
  return next ? { run_reason: 'cleanupscript', repo_id: next.repo_id } : null;
}
