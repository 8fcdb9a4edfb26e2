import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { Execution, NewExecution, TurnExecution } from '../executions/execution.entity.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import type { Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { ReposRepository } from '../projects/repos.repository.js';

/** The attempt of a turn, possibly one just being inserted. */
/** Without `is_imported` where it is just being made. */
export type AttemptOfTurn = Pick<Attempt, 'id' | 'task_id' | 'project_id' | 'branch'> &
  Partial<Pick<Attempt, 'is_imported'>>;
/** What a turn is about. */
export type Message = Pick<NewExecution, 'prompt' | 'is_task_text' | 'variant' | 'timeout_secs'>;
/** Of a turn that only reads: there is nothing to set up or to clean up. */
export const REVIEW_PART: TurnPart = { run_reason: 'review', repo_id: null };
export interface ScriptedRepo {
  repo_id: string;
  setup_script: string | null;
  cleanup_script: string | null;
}
/** One step of a turn. */
export type TurnPart = Pick<Execution, 'run_reason' | 'repo_id'>;
type Lease = Pick<NewExecution, 'status' | 'job_id' | 'runner_id'>;

/** Writes the rows of a turn: one job, and under it one execution after another. */
@Injectable()
export class TurnExecutions {
  constructor(
    private readonly attemptRows: AttemptsRepository,
    private readonly repoRows: ReposRepository,
    private readonly executionRows: ExecutionsRepository,
  ) {}

  /** The first execution of a turn, with a new job, to be queued by the caller. @param only the one part that it has
   *  @throws session_busy, by the constraint executions_one_live */
  async first(
    tx: Transaction,
    attempt: AttemptOfTurn,
    session_id: string,
    message: Message,
    started_by: string,
    only?: TurnPart,
  ): Promise<TurnExecution> {
    const { repos, completedSetups } = await this.scripts(attempt);
    const lease: Lease = { status: 'queued', job_id: newId(), runner_id: null };
    const part = { ...(only ?? firstPart(repos, completedSetups)), session_id };
    return this.insert(tx, attempt, { ...part, ...lease, ...aboutOf(message), started_by });
  }

  /** The execution after a successful one, running under the same job; null at the end of the turn. */
  async next(tx: Transaction, attempt: AttemptOfTurn, done: TurnExecution): Promise<TurnExecution | null> {
    const { repos, completedSetups } = await this.scripts(attempt);
    const part = nextPart(done, repos, completedSetups);
    if (part === null) return null;
    const lease: Lease = { status: 'running', job_id: done.job_id, runner_id: done.runner_id };
    return this.insert(tx, attempt, {
      ...part,
      ...lease,
      ...aboutOf(done),
      session_id: done.session_id,
      started_by: done.started_by,
    });
  }

  /** Re-runs the setup after a move to another runner: its results are not transferred. */
  async fromSetup(tx: Transaction, attempt: AttemptOfTurn, execution: TurnExecution): Promise<TurnExecution> {
    const { repos } = await this.scripts(attempt);
    const part = firstPart(repos, []);
    if (execution.run_reason !== 'codingagent' || part.run_reason === execution.run_reason) return execution;
    await this.executionRows.setPart(tx, execution.id, part);
    return { ...execution, ...part };
  }

  private insert(
    tx: Transaction,
    { id: attempt_id, task_id, project_id }: AttemptOfTurn,
    fields: Omit<NewExecution, 'id' | 'attempt_id' | 'task_id' | 'project_id'>,
  ): Promise<TurnExecution> {
    return this.executionRows.insert(tx, { id: newId(), attempt_id, task_id, project_id, ...fields });
  }

  /** Repositories of the attempt in its order, with the scripts they have now. */
  private async scripts(attempt: AttemptOfTurn): Promise<{ repos: ScriptedRepo[]; completedSetups: string[] }> {
    const used = await this.attemptRows.listRepos(attempt.id);
    const rows = await this.repoRows.listByIds(
      attempt.project_id,
      used.map((repo) => repo.repo_id),
    );
    const repos = used
      .map(({ repo_id }) => rows.find((row) => row.id === repo_id))
      .filter((row) => row !== undefined)
      .map(({ id, setup_script, cleanup_script }) => ({ repo_id: id, setup_script, cleanup_script }));
    return { repos, completedSetups: await this.executionRows.listCompletedSetups(attempt.id) };
  }
}

const aboutOf = ({ prompt, is_task_text, variant, timeout_secs }: Message): Message => ({
  prompt,
  is_task_text,
  variant,
  timeout_secs,
});

/** The first step of a turn: setup scripts that have not succeeded in this attempt, then the agent. */
export function firstPart(repos: readonly ScriptedRepo[], completedSetups: readonly string[]): TurnPart {
  const pending = repos.find((repo) => repo.setup_script !== null && !completedSetups.includes(repo.repo_id));
  return pending
    ? { run_reason: 'setupscript', repo_id: pending.repo_id }
    : { run_reason: 'codingagent', repo_id: null };
}

/** The step after a successful one; null at the end of the turn. */
export function nextPart(
  done: TurnPart,
  repos: readonly ScriptedRepo[],
  completedSetups: readonly string[],
): TurnPart | null {
  if (done.run_reason === 'review') return null;
  if (done.run_reason === 'setupscript') return firstPart(repos, completedSetups);
  const from = done.run_reason === 'codingagent' ? 0 : repos.findIndex((repo) => repo.repo_id === done.repo_id) + 1;
  const next = repos.slice(from).find((repo) => repo.cleanup_script !== null);
  return next ? { run_reason: 'cleanupscript', repo_id: next.repo_id } : null;
}
