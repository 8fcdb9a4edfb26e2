import { Injectable, Logger } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { Lanes } from '../cluster/lanes.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { IdempotencyService, type Request } from '../idempotency/idempotency.service.js';
import { localOwner } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { laneOf, TurnsService } from '../turns/turns.service.js';
import type { Workspace } from '../workspaces/workspace-host.js';

/** One delivery or update at a time per attempt and per target, across all servers. No turn of the attempt begins
 *  meanwhile. */
@Injectable()
export class DeliveryLanes {
  private readonly logger = new Logger(DeliveryLanes.name);

  constructor(
    private readonly lanes: Lanes,
    private readonly database: Database,
    private readonly idempotency: IdempotencyService,
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly turns: TurnsService,
  ) {}

  /** Runs alone, and only once per request. */
  begin<T extends object>(attempt_id: string, request: Request, work: () => Promise<T>): Promise<T> {
    return this.alone(attempt_id, async () => (await this.idempotency.findResult<T>(request)) ?? work());
  }

  /** Waits until no other delivery of this attempt is in progress. @throws AppError database_unavailable */
  async alone<T>(attempt_id: string, work: () => Promise<T>): Promise<T> {
    try {
      return await this.lanes.run(laneOf(attempt_id), work);
    } finally {
      await this.runWaiting(attempt_id);
    }
  }

  /** Does nothing if a delivery of the attempt is in progress. @throws AppError database_unavailable */
  async tryAlone(attempt_id: string, work: () => Promise<void>): Promise<void> {
    const entered = await this.lanes.tryRun(laneOf(attempt_id), async () => {
      await work();
      return true;
    });
    if (entered) await this.runWaiting(attempt_id);
  }

  /** Waits for the lane of every target, in a fixed order. */
  atTargets<T>({ repos }: Workspace, work: () => Promise<T>): Promise<T> {
    const targets = [
      ...new Set(repos.map(({ repo_path, target_branch }) => `${target_branch} of ${repo_path}`)),
    ].sort();
    return targets.reduceRight<() => Promise<T>>((inner, target) => () => this.lanes.run(target, inner), work)();
  }

  /** Checked before every irreversible step. @throws AppError database_unavailable if the session that held the lane is
   *  gone, so that a turn may have begun */
  requireAlone(attempt_id: string): Promise<void> {
    return this.lanes.requireHeld(laneOf(attempt_id));
  }

  /** Messages that waited behind a delivery whose server died. */
  async runLeft(most: number): Promise<void> {
    for (const attempt_id of await this.executionRows.listLeftMessages(most)) await this.runWaiting(attempt_id);
  }

  /** A message that was queued meanwhile. */
  private async runWaiting(attempt_id: string): Promise<void> {
    try {
      await this.database.transaction(async (tx) => {
        const attempt = await this.attemptRows.lock(tx, localOwner, attempt_id);
        if ((await this.executionRows.findLive(attempt.id)) === null) await this.turns.runWaiting(tx, attempt);
      });
    } catch (error) {
      if (toAppError(error)?.code === 'attempt_not_found') return;
      this.logger.warn({ err: error, attempt_id }, 'a message that waits behind a delivery could not be begun yet');
    }
  }
}
