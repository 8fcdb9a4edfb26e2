import { Inject, Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ReadyWorkspaces } from '../attempts/ready-workspaces.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { isRun } from '../platform/access/rights.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Asking } from './delivery-consent.js';

/** An attempt to be delivered; nothing runs in it. */
export type DeliverySubject = Asking;

/** Checks who may deliver what, and that nothing runs in the attempt. Callers hold its lane. */
@Injectable()
export class DeliverySubjects {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly workspaces: ReadyWorkspaces,
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
  ) {}

  /** For deliveries that move what belongs to others: agents and runs may be limited to requesting them.
   *  @throws AppError attempt_not_found, forbidden, session_busy, workspace_lost */
  async forDelivery(attempt_id: string, principal: Principal): Promise<DeliverySubject> {
    requireOwnAttempt(attempt_id, principal, 'deliver the work');
    return this.open(attempt_id, principal);
  }

  /** For changing the target, which cannot be requested as an approval.
   *  @throws AppError attempt_not_found, forbidden, session_busy, workspace_lost */
  async forRetarget(attempt_id: string, principal: Principal): Promise<DeliverySubject> {
    const subject = await this.forDelivery(attempt_id, principal);
    if (subject.mayOnlyAsk) throw new AppError('forbidden', { reason: 'a person must decide where this work goes' });
    return subject;
  }

  /** For updating the attempt's own branch, which its own run may do, too.
   *  @throws AppError attempt_not_found, forbidden, session_busy, workspace_lost */
  async forUpdate(attempt_id: string, principal: Principal): Promise<DeliverySubject> {
    requireOwnAttempt(attempt_id, principal, 'update the branch');
    return this.open(attempt_id, principal);
  }

  /** For pushing: agents need no approval, runs do; replacing what is on the remote is a delivery.
   *  @throws AppError attempt_not_found, forbidden, session_busy, workspace_lost */
  async forPush(attempt_id: string, principal: Principal, replaces: boolean): Promise<DeliverySubject> {
    const subject = await this.forDelivery(attempt_id, principal);
    return replaces || isRun(principal) ? subject : { ...subject, mayOnlyAsk: false };
  }

  /** For previewing a delivery. @returns the subject, and why nothing may be delivered now, or null
   *  @throws AppError attempt_not_found, forbidden, workspace_lost */
  async forLook(attempt_id: string, principal: Principal): Promise<DeliverySubject & { busy: AppError | null }> {
    requireOwnAttempt(attempt_id, principal, 'look at the delivery');
    const attempt = await this.attemptRows.get(principal, attempt_id);
    const busy = await this.busy(attempt_id, principal);
    return { ...(await this.subject(attempt, principal)), busy };
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

/** @throws AppError forbidden if a run delivers another attempt */
function requireOwnAttempt(attempt_id: string, { attempt }: Principal, act: string): void {
  if (attempt !== null && attempt !== attempt_id)
    throw new AppError('forbidden', { reason: `a run may ${act} of its own attempt only` });
}
