import { Inject, Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { Execution } from '../executions/execution.entity.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import type { Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { RUN_QUEUE, type RunQueue } from '../platform/queue/run-queue.js';
import { ReposRepository } from '../projects/repos.repository.js';
import type { Session } from '../sessions/session.entity.js';
import { TasksService } from '../tasks/tasks.service.js';
import { RunAudit } from './run-audit.js';
import { firstStep, nextStep, type ScriptedRepo, type Step } from './step-chain.js';

/** What a turn tells the agent. */
export interface Message {
  prompt: string | null;
  is_task_text: boolean;
  variant: string | null;
  timeout_secs: number | null;
}
/** The job that goes on with the next step, where one is already held. */
export interface HeldJob {
  job_id: string;
  runner_id: string;
}

/** Writes the rows of a turn, step by step. The attempt is locked. */
@Injectable()
export class TurnsService {
  constructor(
    @Inject(RUN_QUEUE) private readonly queue: RunQueue,
    private readonly attempts: AttemptsRepository,
    private readonly repos: ReposRepository,
    private readonly executions: ExecutionsRepository,
    private readonly events: AttemptEvents,
    private readonly runAudit: RunAudit,
    private readonly tasks: TasksService,
  ) {}

  /** The first step of a turn: queued with a job of its own, or running at once under a job that is held.
   *  @throws the clash with executions_one_live, which is session_busy */
  async begin(
    tx: Transaction,
    attempt: Attempt,
    session: Session,
    message: Message,
    principal: Principal,
    held: HeldJob | null = null,
  ): Promise<Execution> {
    const { repos, completedSetups } = await this.chain(attempt);
    const execution = await this.insert(attempt, session.id, firstStep(repos, completedSetups), message, held);
    await this.runAudit.started(tx, execution, session.executor, principal);
    await this.tasks.executionStarted(tx, attempt.task_id, principal);
    return execution;
  }

  /** The step that follows one that went well, running under the same job; null at the end of the turn. */
  async advance(tx: Transaction, attempt: Attempt, done: Execution, held: HeldJob): Promise<Execution | null> {
    const { repos, completedSetups } = await this.chain(attempt);
    const step = nextStep(done, repos, completedSetups);
    if (step === null) return null;
    const execution = await this.insert(attempt, done.session_id, step, done, held);
    await this.runAudit.continued(tx, execution);
    return execution;
  }

  private async insert(
    attempt: Attempt,
    session_id: string,
    step: Step,
    { prompt, is_task_text, variant, timeout_secs }: Message,
    held: HeldJob | null,
  ): Promise<Execution> {
    const now = new Date();
    const job_id = held?.job_id ?? newId();
    const execution: Omit<Execution, 'number'> = {
      id: newId(),
      attempt_id: attempt.id,
      session_id,
      task_id: attempt.task_id,
      project_id: attempt.project_id,
      ...step,
      status: held ? 'running' : 'queued',
      prompt,
      is_task_text,
      variant,
      timeout_secs,
      job_id,
      runner_id: held?.runner_id ?? null,
      token_hash: null,
      exit_code: null,
      failure_summary: null,
      final_message: null,
      stop_requested_at: null,
      stop_forced: false,
      created_at: now,
      updated_at: now,
      started_at: held ? now : null,
      completed_at: null,
    };
    await this.executions.insert(execution);
    if (held === null) await this.queue.enqueue(job_id, attempt.id);
    await this.events.state(execution);
    return execution as Execution;
  }

  /** Repositories of the attempt in its order, with the scripts they have now. */
  private async chain(attempt: Attempt): Promise<{ repos: ScriptedRepo[]; completedSetups: string[] }> {
    const used = await this.attempts.listRepos(attempt.id);
    const rows = await this.repos.listByIds(
      attempt.project_id,
      used.map((repo) => repo.repo_id),
    );
    const repos = used
      .map(({ repo_id }) => rows.find((row) => row.id === repo_id))
      .filter((row) => row !== undefined)
      .map(({ id, setup_script, cleanup_script }) => ({ repo_id: id, setup_script, cleanup_script }));
    return { repos, completedSetups: await this.executions.listCompletedSetups(attempt.id) };
  }
}
