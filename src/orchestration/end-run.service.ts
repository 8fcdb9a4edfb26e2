import { Inject, Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import { LogRepository } from '../executions/log.repository.js';
import type { Execution } from '../executions/execution.entity.js';
import { type ExecutionEnd, ExecutionsRepository } from '../executions/executions.repository.js';
import { asActor, localOwner } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { RUN_QUEUE, type RunQueue } from '../platform/queue/run-queue.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { TasksService } from '../tasks/tasks.service.js';
import { PREPARE_WORKSPACE } from './chores.js';
import { RunAudit } from './run-audit.js';
import { type HeldJob, TurnsService } from './turns.service.js';

/** Ends one step and writes its successor in one transaction, so that the state never flickers and no message is lost. */
@Injectable()
export class EndRunService {
  constructor(
    @Inject(RUN_QUEUE) private readonly jobs: RunQueue,
    private readonly database: Database,
    private readonly hub: ChangeHub,
    private readonly attempts: AttemptsRepository,
    private readonly sessions: SessionsRepository,
    private readonly executions: ExecutionsRepository,
    private readonly events: AttemptEvents,
    private readonly logs: LogRepository,
    private readonly turns: TurnsService,
    private readonly runAudit: RunAudit,
    private readonly approvals: ApprovalsService,
    private readonly tasks: TasksService,
    private readonly taskRows: TasksRepository,
  ) {}

  /** The end of a step by its own runner; may be repeated where only the answer was lost.
   *  @param isLeaving the server shuts down: a message that waits runs after the next start
   *  @returns the next step, running under the same job, or null */
  async end(execution: Execution, end: ExecutionEnd, held: HeldJob, isLeaving = false): Promise<Execution | null> {
    return this.database.transaction(async (tx) => {
      const attempt = await this.attempts.lock(localOwner, execution.attempt_id);
      if (!(await this.executions.end(execution.id, end, held.job_id)))
        return this.executions.findHeld(attempt.id, held.job_id);
      await this.approvals.cancelOf(execution.id);
      await this.events.state({ ...execution, ...end });
      await this.runAudit.ended(tx, execution, end);
      const next = end.status === 'completed' ? await this.follow(tx, attempt, execution, held, isLeaving) : null;
      if (end.status !== 'completed' && !isLeaving) await this.dropMessages(attempt, end);
      if (next === null) await this.finish(tx, attempt, held.job_id);
      return next;
    });
  }

  /** The end of a run that no runner has taken yet. The attempt is locked. */
  async endUnstarted(tx: Transaction, attempt: Attempt, execution: Execution): Promise<void> {
    const end: ExecutionEnd = {
      status: 'killed',
      exit_code: null,
      failure_summary: 'killed before it started',
      final_message: null,
    };
    await this.executions.end(execution.id, end, execution.job_id);
    await this.events.state({ ...execution, ...end });
    await this.runAudit.ended(tx, execution, end);
    await this.finish(tx, attempt, execution.job_id!);
  }

  /** The end of a run whose runner is gone. A waiting message is kept and runs now. */
  async endLost(execution: Pick<Execution, 'id' | 'attempt_id' | 'job_id'>, reason: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const attempt = await this.attempts.lock(localOwner, execution.attempt_id);
      const live = await this.executions.findLive(execution.attempt_id);
      if (live === null || live.id !== execution.id || live.job_id !== execution.job_id) return;
      const failure_summary = `runner lost: ${reason}`;
      const end: ExecutionEnd = { status: 'failed', exit_code: null, failure_summary, final_message: null };
      await this.logs.append(
        { attempt_id: attempt.id, execution_id: live.id, job_id: live.job_id! }, // still its writer: the end comes next
        {
          channel: 'normalized',
          entries: [{ type: 'error_message', content: failure_summary, error_kind: 'stopped' }],
          dropped: 0,
        },
      );
      await this.executions.end(live.id, end, live.job_id);
      await this.approvals.cancelOf(live.id);
      await this.events.state({ ...live, ...end });
      await this.runAudit.ended(tx, live, end);
      await this.finish(tx, attempt, live.job_id!);
      await this.runWaiting(tx, attempt, null);
    });
  }

  private async follow(
    tx: Transaction,
    attempt: Attempt,
    done: Execution,
    held: HeldJob,
    isLeaving: boolean,
  ): Promise<Execution | null> {
    return (
      (await this.turns.advance(tx, attempt, done, held)) ?? (isLeaving ? null : this.runWaiting(tx, attempt, held))
    );
  }

  /** The message that waits becomes the next turn. */
  async runWaiting(tx: Transaction, attempt: Attempt, held: HeldJob | null): Promise<Execution | null> {
    const message = await this.sessions.takeQueued(attempt.id);
    if (message === null) return null;
    const session = await this.sessions.get(localOwner, message.session_id);
    const variant = message.variant ?? session.variant;
    await this.sessions.setVariant(session.id, variant);
    return this.turns.begin(
      tx,
      attempt,
      session,
      { prompt: message.prompt, is_task_text: false, variant, timeout_secs: null },
      asActor('@taskyard', 'system'),
      held,
    );
  }

  private async dropMessages(attempt: Attempt, end: ExecutionEnd): Promise<void> {
    while (await this.sessions.takeQueued(attempt.id))
      await this.events.messageDropped(attempt.id, end.status === 'killed' ? 'the run was stopped' : 'the run failed');
  }

  private async finish(tx: Transaction, attempt: Attempt, job_id: string): Promise<void> {
    await this.jobs.settle(job_id);
    await this.handOverTask(tx, attempt.task_id);
    if (attempt.workspace_state === 'preparing')
      await this.jobs.addChore({ kind: PREPARE_WORKSPACE, data: { attempt_id: attempt.id } }); // readers wait for it, and no run makes it any more
    this.hub.changed(attempt.id);
  }

  /** Once no run of the task is live. The task is locked first: of two that end together, the second sees the end of the first. */
  private async handOverTask(tx: Transaction, task_id: string): Promise<void> {
    await this.taskRows.lock(tx, localOwner, task_id);
    if ((await this.executions.findLiveOfTask(task_id)) === null)
      await this.tasks.executionEnded(tx, task_id, asActor('@taskyard', 'system'));
  }
}
