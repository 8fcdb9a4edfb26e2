import { Injectable } from '@nestjs/common';
import { type Attempt, historyOnly } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { CommentsRepository } from '../comments/comments.repository.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { type ExecutionEnd, ExecutionsRepository } from '../executions/executions.repository.js';
import { RunNetworks } from '../network/run-networks.service.js';
import { ProjectSecretsService } from '../projects/project-secrets.service.js';
import { asActor, chargedAs, localOwner, type Principal } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { turnsLost } from '../platform/telemetry/metrics.js';
import { Jobs } from '../cluster/jobs.js';
import { Lanes } from '../cluster/lanes.js';
import { TurnQueue } from '../cluster/turn-queue.js';
import type { Session } from '../sessions/session.entity.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { TasksService } from '../tasks/tasks.service.js';
import { type Ending, endings, lostBecause, type LostReason, messagesAfter } from './turn-endings.js';
import { type AttemptOfTurn, type Message, REVIEW_PART, TurnExecutions } from './turn-executions.js';
import { CheckSteps } from './check-steps.js';
import { type EndedTurn, TurnFollowers } from './turn-followers.js';
import { TurnAuthors } from './turn-authors.js';
import { TurnLimits } from './turn-limits.js';
import { TurnTrace } from './turn-trace.js';
import { WaitingMessages } from './waiting-messages.js';

/** The lane of an attempt, held while its work is delivered or updated; no turn begins meanwhile. */
export const laneOf = (attempt_id: string): string => `attempt ${attempt_id}`;

interface StoppedTurn {
  live: TurnExecution | null;
  dropped: number;
}

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
    private readonly queue: TurnQueue,
    private readonly jobs: Jobs,
    private readonly attemptRows: AttemptsRepository,
    private readonly executions: TurnExecutions,
    private readonly checks: CheckSteps,
    private readonly executionRows: ExecutionsRepository,
    private readonly messages: WaitingMessages,
    private readonly commentRows: CommentsRepository,
    private readonly trace: TurnTrace,
    private readonly followers: TurnFollowers,
    private readonly authors: TurnAuthors,
    private readonly tasks: TasksService,
    private readonly taskRows: TasksRepository,
    private readonly limits: TurnLimits,
    private readonly secrets: ProjectSecretsService,
    private readonly networks: RunNetworks,
    private readonly lanes: Lanes,
    private readonly database: Database,
  ) {}

  /** Queues a turn that a caller asks for. @throws AppError workspace_lost, delivery_in_progress, secret_missing,
   *  network_unavailable, too_many_runs, too_much_stored, and what `begin` throws */
  async start(
    tx: Transaction,
    attempt: AttemptOfTurn,
    session: Pick<Session, 'id' | 'executor'> & Partial<Pick<Session, 'role'>>,
    message: Message,
    principal: Principal,
  ): Promise<TurnExecution> {
    if (attempt.is_imported) throw historyOnly(attempt);
    if (!(await this.mayBegin(tx, attempt.id))) throw new AppError('delivery_in_progress', { attempt_id: attempt.id });
    await this.requireMeans(attempt, principal, message.prompt);
    const execution = await this.begin(tx, attempt, session, message, principal);
    await this.limits.require(tx, attempt.project_id, principal);
    return execution;
  }

  /** Whether a turn of this caller could start, for one that is to follow. @throws AppError secret_missing,
   *  network_unavailable, too_many_runs, too_much_stored */
  async requireRoom(attempt: AttemptOfTurn, principal: Principal): Promise<void> {
    await this.requireMeans(attempt, principal, null);
    await this.database.transaction((tx) => this.limits.require(tx, attempt.project_id, principal, 1));
  }

  /** Whether nothing of the attempt is being delivered or updated; the answer holds until the end of the
   *  transaction. */
  mayBegin(tx: Transaction, attempt_id: string): Promise<boolean> {
    return this.lanes.keepFree(tx, laneOf(attempt_id));
  }

  /** Queues a turn: of a reviewer, if the session is one's. @throws session_busy, by the constraint
   *  executions_one_live */
  async begin(
    tx: Transaction,
    attempt: AttemptOfTurn,
    session: Pick<Session, 'id' | 'executor'> & Partial<Pick<Session, 'role'>>,
    message: Message,
    principal: Principal,
  ): Promise<TurnExecution> {
    const part = session.role === 'reviewer' ? REVIEW_PART : undefined;
    const execution = await this.executions.first(tx, attempt, session.id, message, chargedAs(principal), part);
    await this.trace.turnBegan(tx, execution, session.executor, principal);
    await this.tasks.executionStarted(tx, attempt.task_id, principal);
    const { job_id, attempt_id, project_id } = execution;
    const origin = await this.attemptRows.turnOrigin(attempt_id);
    await this.queue.enqueue(tx, { job_id, attempt_id, project_id, executor: session.executor, ...origin });
    await this.authors.keep(tx, attempt_id, principal);
    await this.followers.begun(tx, execution, principal);
    return execution;
  }

  /** A runner takes the turn of a job. @returns null if it was withdrawn */
  async take(tx: Transaction, attempt: Attempt, job_id: string, runner_id: string): Promise<TurnExecution | null> {
    const execution = await this.executionRows.claim(tx, attempt.id, job_id, runner_id);
    if (execution === null) return null;
    const hasMoved = attempt.runner_id !== null && attempt.runner_id !== runner_id;
    const taken = hasMoved ? await this.executions.fromSetup(tx, attempt, execution) : execution;
    await this.trace.taken(tx, taken);
    return taken;
  }

  /** Records a stop request. A turn that no runner has taken yet ends right here.
   *  @returns what is live, or null, and how many messages waited, of which none starts it again */
  async stop(tx: Transaction, attempt: Attempt, force: boolean, principal: Principal): Promise<StoppedTurn> {
    const dropped = await this.messages.drop(tx, attempt.id, 'the attempt was stopped');
    await this.followers.stopped(tx, attempt, principal);
    return { live: await this.requestStop(tx, attempt, force, principal), dropped };
  }

  /** For a message that goes first: it runs as soon as what is live has ended. @returns that, or null */
  async giveWay(tx: Transaction, attempt: Attempt, principal: Principal): Promise<TurnExecution | null> {
    const live = await this.requestStop(tx, attempt, false, principal);
    if (live === null) await this.runWaiting(tx, attempt);
    return live;
  }

  /** Ends an execution and writes its successor in one transaction, so that the state never flickers and no message is
   *  lost. May be repeated if only the answer was lost.
   *  @returns what runs now under the same job, or null at the end of the turn */
  async end(
    tx: Transaction,
    attempt: Attempt,
    execution: TurnExecution,
    end: ExecutionEnd,
    ending: Ending = end.status,
  ): Promise<TurnExecution | null> {
    const { from, isLogged } = endings[ending];
    if (isLogged) await this.trace.lost(tx, execution, end.failure_summary ?? ending);
    const used = await this.executionRows.end(tx, execution, end, from);
    if (used === null) return this.executionRows.findHeld(attempt.id, execution.job_id);
    await this.trace.ended(tx, execution, end, used);
    if (ending === 'lost') tx.afterCommit(() => turnsLost.inc());
    const next = await this.nextOf(tx, attempt, execution, end, ending);
    if (next !== null) await this.trace.continued(tx, next);
    else {
      await this.trace.turnEnded(tx, execution, end);
      await this.finish(tx, { attempt, execution, end, ending });
    }
    return next?.status === 'running' ? next : null;
  }

  /** The runner is lost. A waiting message runs now. */
  async lose(tx: Transaction, attempt: Attempt, execution: TurnExecution, reason: LostReason): Promise<void> {
    await this.end(tx, attempt, execution, endOf('failed', lostBecause(reason)), 'lost');
  }

  /** The oldest waiting message becomes the next turn; one that may not run any more fails at once. @returns the queued
   *  turn, or null; also null during a delivery, which calls again at its end */
  async runWaiting(tx: Transaction, attempt: Attempt): Promise<TurnExecution | null> {
    if (!(await this.mayBegin(tx, attempt.id))) return null;
    for (;;) {
      const waiting = await this.messages.take(tx, attempt.id);
      if (waiting === null) return null;
      const { id, session, message, principal, refusal } = waiting;
      const execution = await this.begin(tx, attempt, session, message, principal);
      await this.commentRows.setTurn(tx, id, execution.job_id);
      if (refusal === null) return execution;
      await this.end(tx, attempt, execution, endOf('failed', refusal), 'refused');
    }
  }

  private async nextOf(
    tx: Transaction,
    attempt: Attempt,
    execution: TurnExecution,
    end: ExecutionEnd,
    ending: Ending,
  ): Promise<TurnExecution | null> {
    if (execution.run_reason === 'check') return this.checks.next(tx, attempt, execution, end, ending);
    return endings[ending].advances ? this.executions.next(tx, attempt, execution) : null;
  }

  private async requestStop(
    tx: Transaction,
    attempt: Attempt,
    force: boolean,
    principal: Principal,
  ): Promise<TurnExecution | null> {
    const live = await this.executionRows.findLive(attempt.id);
    if (live === null) return null;
    await this.executionRows.requestStop(tx, live.id, force);
    const isNew = live.stop_requested_at === null || (force && !live.stop_forced);
    if (isNew) await this.trace.stopRequested(tx, live, force, principal);
    if (live.status === 'queued')
      await this.end(tx, attempt, live, endOf('killed', 'killed before it started'), 'withdrawn');
    return live;
  }

  private async requireMeans({ project_id }: AttemptOfTurn, principal: Principal, prompt: string | null) {
    await this.secrets.requireAll(project_id);
    await this.networks.require(project_id);
    await this.limits.requireRoom(project_id, principal, prompt);
  }

  /** Ends the turn: its job, the messages behind it and, if nothing follows, task and worktrees. */
  private async finish(tx: Transaction, turn: EndedTurn): Promise<void> {
    const { attempt, execution, ending } = turn;
    await this.queue.settle(tx, execution.job_id);
    const messages = messagesAfter(execution.run_reason, ending);
    const isDropped = messages.action === 'drop' && !(await this.messages.hasFirst(tx, attempt.id));
    if (isDropped) await this.messages.drop(tx, attempt.id, messages.reason);
    else if (messages.action !== 'keep' && (await this.runWaiting(tx, attempt)) !== null) return;
    if (await this.followers.ended(tx, turn)) return;
    await this.handOverTask(tx, attempt.task_id);
    if (attempt.resolving) await this.trace.resolverEnded(tx);
    if (attempt.workspace_state === 'preparing')
      // readers wait for it, and no turn will make it
      await this.jobs.send(tx, { kind: 'prepare_workspace', data: { attempt_id: attempt.id } });
  }

  /** If nothing of the task is live. The task is locked first, so that of two simultaneous ends the second sees the
   *  first. */
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
