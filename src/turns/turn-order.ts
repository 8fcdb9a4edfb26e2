import type { Execution } from '../executions/execution.entity.js';

export interface ScriptedRepo {
  repo_id: string;
  setup_script: string | null;
  cleanup_script: string | null;
}
/** One place in the order of a turn. */
export type TurnPart = Pick<Execution, 'run_reason' | 'repo_id'>;

/** How a turn begins: with setup scripts that have not yet succeeded in this attempt, one after another, then the
 *  agent. */
export function firstPart(repos: readonly ScriptedRepo[], completedSetups: readonly string[]): TurnPart {
  const pending = repos.find((repo) => repo.setup_script !== null && !completedSetups.includes(repo.repo_id));
  return pending
    ? { run_reason: 'setupscript', repo_id: pending.repo_id }
    : { run_reason: 'codingagent', repo_id: null };
}

/** What follows a part that went well; null at the end of the turn. */
export function nextPart(
  done: TurnPart,
  repos: readonly ScriptedRepo[],
  completedSetups: readonly string[],
): TurnPart | null {
  if (done.run_reason === 'setupscript') return firstPart(repos, completedSetups);
  const from = done.run_reason === 'codingagent' ? 0 : repos.findIndex((repo) => repo.repo_id === done.repo_id) + 1;
  const next = repos.slice(from).find((repo) => repo.cleanup_script !== null);
  return next ? { run_reason: 'cleanupscript', repo_id: next.repo_id } : null;
}
