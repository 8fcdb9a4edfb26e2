import { Inject, Injectable } from '@nestjs/common';
import { ToolInvocationsRepository } from '../tool-invocations/tool-invocations.repository.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import { TURN_QUEUE, type TurnQueue } from '../platform/queue/turn-queue.js';
import {
  DISPOSE_WORKSPACES,
  EXPIRE_WORKSPACES,
  PREPARE_WORKSPACE,
  PRUNE_RECORDS,
} from '../turns/housekeeping-kinds.js';
import { WorkspaceDisposal } from './workspace-disposal.js';
import { WorkspaceExpiry } from './workspace-expiry.js';
import { WorkspacePreparation } from './workspace-preparation.js';

/** Work nobody waits for: jobs of the queue, so that a restart loses none. */
@Injectable()
export class Housekeeping {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    private readonly preparation: WorkspacePreparation,
    private readonly disposal: WorkspaceDisposal,
    private readonly expiry: WorkspaceExpiry,
    private readonly idempotency: IdempotencyService,
    private readonly invocationRows: ToolInvocationsRepository,
  ) {}

  async start(): Promise<void> {
    this.queue.workHousekeeping({
      [PREPARE_WORKSPACE]: ({ attempt_id }) => this.preparation.prepareIdle(attempt_id as string),
      [DISPOSE_WORKSPACES]: ({ attempt_ids }) => this.disposal.disposeOf(attempt_ids as string[]),
      [EXPIRE_WORKSPACES]: () => this.expiry.expire(),
      [PRUNE_RECORDS]: () => this.prune(),
    });
    await this.queue.schedule(PRUNE_RECORDS, '7 * * * *');
    await this.queue.schedule(EXPIRE_WORKSPACES, '*/30 * * * *');
  }

  /** Records that only serve for a while. Both are tried, whatever becomes of the other. */
  private async prune(): Promise<void> {
    const days = this.environment.TOOL_INVOCATIONS_TTL_DAYS;
    const results = await Promise.allSettled([
      this.idempotency.prune(),
      days > 0 ? this.invocationRows.prune(days) : undefined,
    ]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
}
