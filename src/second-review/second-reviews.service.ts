import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AgentReviewsRepository } from '../comments/agent-reviews.repository.js';
import { ExecutorCatalogue } from '../executors/executor-catalogue.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { localOwner, type Principal } from '../platform/access/principal.js';
import { withRight } from '../platform/access/rights.js';
import { rightOf } from '../platform/access/scopes.js';
import type { Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import type { ReviewPolicy } from '../projects/project.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { TurnAuthors } from '../turns/turn-authors.js';
import { type EndedTurn, type TurnFollower, TurnFollowers } from '../turns/turn-followers.js';
import { TurnsService } from '../turns/turns.service.js';
import { RequestedChanges } from './requested-changes.js';
import { SecondReviewTrace } from './second-review-trace.js';

const PROMPT = 'Review the work on this task.';

/** Has what an agent made reviewed by a second one, once its turn has ended well and no check is against it. */
@Injectable()
export class SecondReviews implements TurnFollower, OnApplicationBootstrap {
  constructor(
    private readonly followers: TurnFollowers,
    private readonly projectRows: ProjectsRepository,
    private readonly attemptRows: AttemptsRepository,
    private readonly sessionRows: SessionsRepository,
    private readonly reviewRows: AgentReviewsRepository,
    private readonly executors: ExecutorCatalogue,
    private readonly authors: TurnAuthors,
    private readonly turns: TurnsService,
    private readonly changes: RequestedChanges,
    private readonly trace: SecondReviewTrace,
  ) {}

  onApplicationBootstrap(): void {
    this.followers.add(this); // behind checks, which ask earlier
  }

  begun(tx: Transaction, execution: TurnExecution, principal: Principal): Promise<void> {
    return this.changes.begun(tx, execution, principal);
  }

  async ended(tx: Transaction, turn: EndedTurn): Promise<boolean> {
    const { attempt, execution, ending } = turn;
    const { review: policy } = await this.projectRows.get(localOwner, attempt.project_id);
    if (execution.run_reason === 'review') {
      await this.reviewed(tx, turn, policy);
      return false;
    }
    if (policy === null || (execution.run_reason !== 'check' && ending !== 'completed')) return false;
    const now = await this.attemptRows.get(localOwner, attempt.id); // with what the checks have just said
    return (await this.isWanted(now)) && this.begin(tx, now, policy);
  }

  /** By level: there is work, no check is against it, nobody reviewed it as it is now, and it is not half merged. */
  private async isWanted({ id, files_changed, work_print, resolving, checks_state }: Attempt): Promise<boolean> {
    const isRed = checks_state === 'failed' || checks_state === 'errored';
    if (!files_changed || work_print === null || resolving || isRed) return false;
    const last = await this.reviewRows.findLatest(id);
    return last?.work_print !== work_print;
  }

  /** What keeps it from beginning is told in its place, and fails nothing. @returns whether it begins */
  private async begin(tx: Transaction, attempt: Attempt, policy: ReviewPolicy): Promise<boolean> {
    const principal = await this.authors.find(attempt.id);
    if (principal === null || !(await this.turns.mayBegin(tx, attempt.id))) return false;
    const { id: attempt_id, project_id, work_print } = attempt;
    const { executor } = policy;
    const review = { id: newId(), attempt_id, project_id, executor, work_print };
    const refusal = await this.refusalOf(attempt, policy, principal);
    if (refusal !== null) {
      await this.reviewRows.insert(tx, { ...review, session_id: null, execution_id: null, refusal });
      await this.trace.errored(tx, attempt, review, refusal);
      return false;
    }
    const { session_id, execution_id } = await this.beginTurn(tx, attempt, policy, principal);
    await this.reviewRows.insert(tx, { ...review, session_id, execution_id, refusal: null });
    return true;
  }

  /** A session of its own, so that it knows nothing of what the author said. */
  private async beginTurn(
    tx: Transaction,
    attempt: Attempt,
    { executor, variant: wanted }: ReviewPolicy,
    principal: Principal,
  ): Promise<{ session_id: string; execution_id: string }> {
    const { id: attempt_id, project_id } = attempt;
    const variant = await this.executors.chooseVariant(executor, wanted ?? undefined);
    const place = { id: newId(), attempt_id, project_id, agent_session_id: null };
    const session = { ...place, role: 'reviewer', executor, variant } as const;
    await this.sessionRows.insert(tx, session);
    const message = { prompt: PROMPT, is_task_text: false, variant, timeout_secs: null };
    const { id: execution_id } = await this.turns.begin(tx, attempt, session, message, principal);
    return { session_id: session.id, execution_id };
  }

  /** Why whoever began the turn before may not begin this one now, or null. */
  private async refusalOf(attempt: Attempt, policy: ReviewPolicy, principal: Principal): Promise<string | null> {
    try {
      await this.attemptRows.get(withRight(principal, rightOf({ scope: 'execute' })), attempt.id);
      await this.executors.requireMcp(policy.executor);
      await this.executors.choose(policy.executor, policy.variant ?? undefined);
      await this.turns.requireRoom(attempt, principal);
      return null;
    } catch (error) {
      if (error instanceof AppError) return error.message;
      throw error;
    }
  }

  /** Without a verdict nothing follows, whatever it answered. */
  private async reviewed(tx: Transaction, turn: EndedTurn, policy: ReviewPolicy | null): Promise<void> {
    const { attempt, execution, ending } = turn;
    const review = await this.reviewRows.findOfRun(execution.id);
    if (review === null) return;
    if (review.state === 'errored') await this.trace.errored(tx, attempt, review, review.reason!);
    const isStopped = ending === 'killed' || ending === 'withdrawn';
    if (review.verdict === 'request_changes' && policy !== null && !isStopped)
      await this.changes.request(tx, attempt, review, policy.rounds);
  }
}
