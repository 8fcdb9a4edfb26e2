import { Injectable } from '@nestjs/common';
import type { AttemptOutcome } from '../attempts/attempt-rows.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import { localOwner } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import type { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { BranchUpdates, type Updating } from './branch-updates.js';
import { DeliveriesService } from './deliveries.service.js';
import { failureOf } from './finished-run.js';

interface Resolved extends Updating {
  outcome: AttemptOutcome;
}

/** Completes the updates that agents were asked to resolve, after their last turn. One that failed or left conflicts
 *  leaves the update as it stands. */
@Injectable()
export class ResolvedUpdates {
  constructor(
    private readonly database: Database,
    private readonly updates: BranchUpdates,
    private readonly deliveries: DeliveriesService,
    private readonly attemptRows: AttemptsRepository,
    private readonly events: AttemptEvents,
  ) {}

  /** Callers hold the lane of the attempt, in which nothing runs. Does nothing where no agent was asked.
   *  @throws AppError what may be over soon, as when the runner of the worktree does not answer */
  async settle(subject: Resolved): Promise<void> {
    const { resolving } = await this.attemptRows.get(localOwner, subject.attempt.id);
    if (!resolving) return;
    const refused = failureOf(subject.attempt.id, subject.outcome) ?? (await this.refusalOf(subject));
    const state = await this.deliveries.stateOf(subject.workspace);
    await this.database.transaction(async (tx) => {
      const { id } = await this.attemptRows.lock(tx, localOwner, subject.attempt.id);
      await this.attemptRows.setResolving(tx, id, false);
      await this.attemptRows.setDeliveryState(tx, id, state);
      if (refused !== null) await this.events.updateLeft(tx, id, refused);
    });
  }

  private async refusalOf(subject: Resolved): Promise<AppError | null> {
    try {
      await this.updates.updateAll(subject, { attempt_id: subject.attempt.id, action: 'continue' });
      return null;
    } catch (error) {
      const refused = toAppError(error);
      if (refused === null || refused.row.retryable) throw error;
      return refused;
    }
  }
}
