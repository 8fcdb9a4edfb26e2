import { Inject, Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ReadyWorkspaces } from '../attempts/ready-workspaces.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { IdempotencyService, type Request } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { isRun } from '../platform/access/run-rights.js';
import { AppError } from '../platform/errors/app-error.js';
import { KeyedLimit } from '../platform/git/keyed-limit.js';
import { type Asking, DeliveryConsent } from './delivery-consent.js';
import type { Workspace } from '../workspaces/workspace-host.js';

/** An attempt whose work is to be brought somewhere; nothing runs in it. */
export type DeliverySubject = Asking;

/** Who may deliver what, and one at a time: of an attempt, and into a target. */
@Injectable()
export class DeliverySubjects {
  private readonly lanes = new KeyedLimit();

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly workspaces: ReadyWorkspaces,
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly idempotency: IdempotencyService,
    readonly consent: DeliveryConsent,
  ) {}

  /** To move what belongs to others: for people, and for agents and runs, of which some may only ask.
   *  @throws AppError attempt_not_found, forbidden, session_busy, workspace_lost */
  async forDelivery(attempt_id: string, principal: Principal): Promise<DeliverySubject> {
    requireOwnAttempt(attempt_id, principal, 'deliver the work');
    return this.open(attempt_id, principal);
  }

  /** To change where it goes, which nobody can ask for.
   *  @throws AppError attempt_not_found, forbidden, session_busy, workspace_lost */
  async forRetarget(attempt_id: string, principal: Principal): Promise<DeliverySubject> {
    const subject = await this.forDelivery(attempt_id, principal);
    if (subject.mayOnlyAsk) throw new AppError('forbidden', { reason: 'a person must decide where this work goes' });
    return subject;
  }

  /** To bring the attempt's own branch up to date: for its own run too.
   *  @throws AppError attempt_not_found, forbidden, session_busy, workspace_lost */
  async forUpdate(attempt_id: string, principal: Principal): Promise<DeliverySubject> {
    requireOwnAttempt(attempt_id, principal, 'update the branch');
    return this.open(attempt_id, principal);
  }

  /** To show it on a remote: agents need nobody for that, runs do; replacing what is there is a delivery.
   *  @throws AppError attempt_not_found, forbidden, session_busy, workspace_lost */
  async forPush(attempt_id: string, principal: Principal, replaces: boolean): Promise<DeliverySubject> {
    const subject = await this.forDelivery(attempt_id, principal);
    return replaces || isRun(principal) ? subject : { ...subject, mayOnlyAsk: false };
  }

  /** To say what a delivery would do. @returns the subject, and why nothing may be delivered now, or null
   *  @throws AppError attempt_not_found, forbidden, workspace_lost */
  async forLook(attempt_id: string, principal: Principal): Promise<DeliverySubject & { busy: AppError | null }> {
    requireOwnAttempt(attempt_id, principal, 'look at the delivery');
    const attempt = await this.attemptRows.get(principal, attempt_id);
    const busy = await this.busy(attempt_id, principal);
    return { ...(await this.subject(attempt, principal)), busy };
  }

  /** Alone, and not again where the request was answered before. */
  begin<T extends object>(attempt_id: string, request: Request, work: () => Promise<T>): Promise<T> {
    return this.alone(attempt_id, async () => (await this.idempotency.findResult<T>(request)) ?? work());
  }

  /** Waits until nothing else is delivered from this attempt by this server. */
  alone<T>(attempt_id: string, work: () => Promise<T>): Promise<T> {
    return this.lanes.run(attempt_id, work);
  }

  /** Waits for its turn at every target, in one order for all. */
  atTargets<T>({ repos }: Workspace, work: () => Promise<T>): Promise<T> {
    const targets = [...new Set(repos.map(({ repo_path, target_branch }) => `${repo_path}\0${target_branch}`))].sort();
    return targets.reduceRight<() => Promise<T>>((inner, target) => () => this.lanes.run(target, inner), work)();
  }

  private async open(attempt_id: string, principal: Principal): Promise<DeliverySubject> {
    const attempt = await this.attemptRows.get(principal, attempt_id);
    const busy = await this.busy(attempt_id, principal);
    if (busy !== null) throw busy;
    return this.subject(attempt, principal);
  }

  /** While a run is live, only that run may touch its work. */
  private async busy(attempt_id: string, { attempt }: Principal): Promise<AppError | null> {
    const live = await this.executionRows.findLive(attempt_id);
    return live !== null && attempt !== attempt_id ? new AppError('session_busy', { attempt_id }) : null;
  }

  private async subject(attempt: DeliverySubject['attempt'], principal: Principal): Promise<DeliverySubject> {
    const workspace = await this.workspaces.ready(attempt.id, principal);
    return { attempt, workspace, principal, mayOnlyAsk: this.mayOnlyAsk(principal) };
  }

  private mayOnlyAsk(principal: Principal): boolean {
    if (isRun(principal) && !this.environment.AGENT_SCOPES.includes('deliver')) return true;
    return this.environment.REQUIRE_HUMAN_APPROVAL === 'on' && (isRun(principal) || principal.actor.type === 'agent');
  }
}

/** @throws AppError forbidden where a run is to do that for somebody else */
function requireOwnAttempt(attempt_id: string, { attempt }: Principal, act: string): void {
  if (attempt !== null && attempt !== attempt_id)
    throw new AppError('forbidden', { reason: `a run may ${act} of its own attempt only` });
}
