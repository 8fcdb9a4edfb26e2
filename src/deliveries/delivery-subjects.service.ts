import { Inject, Injectable } from '@nestjs/common';
import type { AttemptOutcome } from '../attempts/attempt-rows.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ReadyWorkspaces } from '../attempts/ready-workspaces.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { OpenRequests } from '../platform/access/caller-limits.js';
import type { Principal } from '../platform/access/principal.js';
import { isRun } from '../platform/access/rights.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Asking } from './delivery-consent.js';
import { ResolvedUpdates } from './resolved-updates.js';

/** An attempt to be delivered; nothing but perhaps the caller runs in it. */
export interface DeliverySubject extends Asking {
  outcome: AttemptOutcome;
}

/** Checks who may deliver what, and that nothing runs in the attempt. Callers hold its lane. */
@Injectable()
export class DeliverySubjects {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly workspaces: ReadyWorkspaces,
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly hub: ChangeHub,
    private readonly openRequests: OpenRequests,
    private readonly resolved: ResolvedUpdates,
  ) {}

  /** Waits while a run of the attempt is live; what is still live then is refused as ever.
   *  @throws AppError attempt_not_found, too_many_streams */
  async untilIdle(attempt_id: string, principal: Principal, wait_ms = 0): Promise<void> {
    if (wait_ms === 0 || principal.attempt === attempt_id) return;
    await this.attemptRows.get(principal, attempt_id);
    const look = async () => ((await this.executionRows.findLive(attempt_id)) === null ? true : null);
    await this.openRequests.hold(principal, () => this.hub.waitFor(attempt_id, wait_ms, look));
  }

  /** For deliveries that move what belongs to others: agents and runs may be limited to requesting them. An update that
   *  an agent has resolved is completed first.
   *  @throws AppError attempt_not_found, forbidden, session_busy, workspace_lost */
  async forDelivery(attempt_id: string, principal: Principal): Promise<DeliverySubject> {
    requireOwnAttempt(attempt_id, principal, 'deliver the work');
    const subject = await this.open(attempt_id, principal);
    await this.resolved.settle(subject);
    return subject;
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
    if (live === null || attempt === attempt_id) return null;
    return new AppError(live.run_reason === 'check' ? 'checks_running' : 'session_busy', { attempt_id });
  }

  private async subject(attempt: DeliverySubject['attempt'], principal: Principal): Promise<DeliverySubject> {
    const [workspace, outcome] = await Promise.all([
      this.workspaces.ready(attempt.id, principal),
      this.attemptRows.outcomeOf(attempt.id),
    ]);
    return { attempt, workspace, principal, outcome, mayOnlyAsk: this.mayOnlyAsk(principal) };
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
