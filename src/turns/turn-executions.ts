import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { NewExecution, TurnExecution } from '../executions/execution.entity.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import type { Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { ReposRepository } from '../projects/repos.repository.js';
import { firstPart, nextPart, type ScriptedRepo } from './turn-order.js';

/** The attempt a turn belongs to, also one that is just being inserted. */
export type AttemptOfTurn = Pick<Attempt, 'id' | 'task_id' | 'project_id'>;
/** What a turn is about. */
export type Message = Pick<NewExecution, 'prompt' | 'is_task_text' | 'variant' | 'timeout_secs'>;
type Lease = Pick<NewExecution, 'status' | 'job_id' | 'runner_id'>;

/** Writes the rows of a turn: one job, and under it one execution after another. */
@Injectable()
export class TurnExecutions {
  constructor(
    private readonly attemptRows: AttemptsRepository,
    private readonly repoRows: ReposRepository,
    private readonly executionRows: ExecutionsRepository,
  ) {}

  /** The first execution of a turn, with a job of its own that is to be queued.
   *  @throws the clash with executions_one_live, which is session_busy */
  async first(
    tx: Transaction,
    attempt: AttemptOfTurn,
    session_id: string,
    message: Message,
    started_by: string,
  ): Promise<TurnExecution> {
    const { repos, completedSetups } = await this.scripts(attempt);
    const lease: Lease = { status: 'queued', job_id: newId(), runner_id: null };
    const part = { ...firstPart(repos, completedSetups), session_id };
    return this.insert(tx, attempt, { ...part, ...lease, ...aboutOf(message), started_by });
  }

  /** What follows an execution that went well, running under the same job; null at the end of the turn. */
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

  /** A turn whose attempt moves to another runner begins with its setup again, whose results stay behind. */
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
