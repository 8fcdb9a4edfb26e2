import { Inject, Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { type ExecutionEnd, ExecutionsRepository } from '../executions/executions.repository.js';
import { asActor, chargedAs, localOwner, type Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { turnsLost } from '../platform/telemetry/metrics.js';
import { TURN_QUEUE, type TurnQueue } from '../platform/queue/turn-queue.js';
import type { Session } from '../sessions/session.entity.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { TasksService } from '../tasks/tasks.service.js';
import { PREPARE_WORKSPACE } from './housekeeping-kinds.js';
import { type Ending, endings, messagesAfter } from './turn-endings.js';
import { type AttemptOfTurn, type Message, TurnExecutions } from './turn-executions.js';
import { TurnLimits } from './turn-limits.js';
import { TurnTrace } from './turn-trace.js';
import { WaitingMessages } from './waiting-messages.js';

/** The one place where a turn begins, advances, ends or is lost, each in the caller's transaction.
 *
 *  Lock order, everywhere: request key → attempt → execution → approvals → event log of the attempt → task →
 *  project.
 *  The attempt's row is locked first, so that of two that begin, end or stop a turn one waits for the other; whoever
 *  holds a task and then waits for an attempt deadlocks with the end of its turn. (An attempt that is being inserted
 *  is seen by nobody else: a start may hold its task before.) */
@Injectable()
export class TurnsService {
  constructor(
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    private readonly executions: TurnExecutions,
    private readonly executionRows: ExecutionsRepository,
    private readonly messages: WaitingMessages,
    private readonly trace: TurnTrace,
    private readonly tasks: TasksService,
    private readonly taskRows: TasksRepository,
    private readonly limits: TurnLimits,
  ) {}

  /** Queues a turn that a caller asks for. @throws AppError too_many_runs, too_much_stored, and what `begin` throws */
  async start(
    tx: Transaction,
    attempt: AttemptOfTurn,
    session: Pick<Session, 'id' | 'executor'>,
    message: Message,
    principal: Principal,
  ): Promise<TurnExecution> {
    await this.limits.requireRoom(attempt.project_id, principal, message.prompt);
    const execution = await this.begin(tx, attempt, session, message, principal);
    await this.limits.require(tx, attempt.project_id, principal);
    return execution;
  }

  /** Queues a turn. @throws the clash with executions_one_live, which is session_busy */
  async begin(
    tx: Transaction,
    attempt: AttemptOfTurn,
    session: Pick<Session, 'id' | 'executor'>,
    message: Message,
    principal: Principal,
  ): Promise<TurnExecution> {
    const execution = await this.executions.first(tx, attempt, session.id, message, chargedAs(principal));
    await this.trace.turnBegan(tx, execution, session.executor, principal);
    await this.tasks.executionStarted(tx, attempt.task_id, principal);
    const { job_id, attempt_id, project_id } = execution;
    await this.queue.enqueueTurn(tx, { job_id, attempt_id, project_id, executor: session.executor });
    return execution;
  }

  /** A runner takes the turn behind a job. @returns null where it was withdrawn */
  async take(tx: Transaction, attempt: Attempt, job_id: string, runner_id: string): Promise<TurnExecution | null> {
    const execution = await this.executionRows.claim(tx, attempt.id, job_id, runner_id);
    if (execution === null) return null;
    const hasMoved = attempt.runner_id !== null && attempt.runner_id !== runner_id;
    const taken = hasMoved ? await this.executions.fromSetup(tx, attempt, execution) : execution;
    await this.trace.taken(tx, taken);
    return taken;
  }

  /** Writes a request to stop down. A turn that no runner has taken yet ends right here.
   *  @returns what is live, or null */
  async stop(tx: Transaction, attempt: Attempt, force: boolean, principal: Principal): Promise<TurnExecution | null> {
    await this.messages.drop(tx, attempt.id, 'the attempt was stopped');
    const live = await this.executionRows.findLive(attempt.id);
    if (live === null) return null;
    await this.executionRows.requestStop(tx, live.id, force);
    const isNew = live.stop_requested_at === null || (force && !live.stop_forced);
    if (isNew) await this.trace.stopRequested(tx, live, force, principal);
    if (live.status === 'queued')
      await this.end(tx, attempt, live, endOf('killed', 'killed before it started'), 'withdrawn');
    return live;
  }

  /** One execution ends and its successor is written, so that the state never flickers and no message is lost.
   *  May be repeated where only the answer was lost.
   *  @param isLeaving the runner shuts down
   *  @returns what runs now under the same job, or null at the end of the turn */
  async end(
    tx: Transaction,
    attempt: Attempt,
    execution: TurnExecution,
    end: ExecutionEnd,
    ending: Ending = end.status,
    isLeaving = false,
  ): Promise<TurnExecution | null> {
    const { from, isLogged, advances } = endings[ending];
    if (isLogged) await this.trace.lost(tx, execution, end.failure_summary ?? ending);
    const used = await this.executionRows.end(tx, execution, end, from);
    if (used === null) return this.executionRows.findHeld(attempt.id, execution.job_id);
    await this.trace.ended(tx, execution, end, used);
    if (ending === 'lost') tx.afterCommit(() => turnsLost.inc());
    const next = advances ? await this.executions.next(tx, attempt, execution) : null;
    if (next !== null) await this.trace.continued(tx, next);
    else {
      await this.trace.turnEnded(tx, execution, end);
      await this.finish(tx, attempt, execution, ending, isLeaving);
    }
    return next;
  }

  /** The runner is gone. A message that waits runs now. */
  async lose(tx: Transaction, attempt: Attempt, execution: TurnExecution, reason: string): Promise<void> {
    await this.end(tx, attempt, execution, endOf('failed', `runner lost: ${reason}`), 'lost');
  }

  /** The oldest waiting message becomes the next turn; one that may not run any more fails at once.
   *  @returns the turn that is queued now, or null */
  async runWaiting(tx: Transaction, attempt: Attempt): Promise<TurnExecution | null> {
    for (;;) {
      const waiting = await this.messages.take(tx, attempt.id);
      if (waiting === null) return null;
      const { session, message, principal, refusal } = waiting;
      const execution = await this.begin(tx, attempt, session, message, principal);
      if (refusal === null) return execution;
      await this.end(tx, attempt, execution, endOf('failed', refusal), 'refused');
    }
  }

  /** The turn is over: its job, the messages behind it, and where nothing follows the task and the worktrees. */
  private async finish(
    tx: Transaction,
    attempt: Attempt,
    { job_id }: TurnExecution,
    ending: Ending,
    isLeaving: boolean,
  ): Promise<void> {
    await this.queue.settle(tx, job_id);
    const messages = messagesAfter(ending, isLeaving);
    if (messages.action === 'drop') await this.messages.drop(tx, attempt.id, messages.reason);
    if (messages.action === 'run' && (await this.runWaiting(tx, attempt)) !== null) return;
    await this.handOverTask(tx, attempt.task_id);
    if (attempt.workspace_state === 'preparing')
      // readers wait for it, and no turn makes it any more
      await this.queue.addHousekeeping(tx, { kind: PREPARE_WORKSPACE, data: { attempt_id: attempt.id } });
  }

  /** Once nothing of the task is live. The task is locked first: of two that end together, the second sees the end
   *  of the first. */
  private async handOverTask(tx: Transaction, task_id: string): Promise<void> {
    await this.taskRows.lock(tx, localOwner, task_id);
    if ((await this.executionRows.findLiveOfTask(task_id)) === null)
      await this.tasks.executionEnded(tx, task_id, asActor('@taskyard', 'system'));
  }
}

const endOf = (status: ExecutionEnd['status'], failure_summary: string): ExecutionEnd => ({
  status,
  exit_code: null,
  failure_summary,
  final_message: null,
});
