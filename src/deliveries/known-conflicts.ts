import { Injectable } from '@nestjs/common';
import type { AttemptOutcome } from '../attempts/attempt-rows.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import { Database } from '../platform/database/database.js';
import type { DeliveryState } from '../tasks/task.dto.js';
import { DeliveriesRepository } from './deliveries.repository.js';

/** Work that is neither running nor delivered in any way. */
const OFFERED: ReadonlySet<DeliveryState> = new Set<DeliveryState>(['ready', 'failed', 'conflicted']);

/** What boards and lists say of conflicts, for which nobody looks at worktrees. */
@Injectable()
export class KnownConflicts {
  constructor(
    private readonly database: Database,
    private readonly deliveryRows: DeliveriesRepository,
    private readonly events: AttemptEvents,
  ) {}

  /** Corrects the records by what a look has found, and tells the board.
   *  @param outcome read before the look; what changed since is left to the next one */
  async correct(attempt_id: string, outcome: AttemptOutcome, wouldConflict: boolean): Promise<void> {
    const { delivery_state, updated_at } = outcome;
    if (!OFFERED.has(delivery_state) || (delivery_state === 'conflicted') === wouldConflict) return;
    await this.database.transaction(async (tx) => {
      const found = await this.deliveryRows.correctConflict(tx, attempt_id, wouldConflict, updated_at);
      if (found === null) return;
      await this.events.deliveryChanged(tx, { attempt_id, ...found }, wouldConflict ? 'conflicted' : 'ready');
    });
  }
}
