import { Injectable, Logger } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { localOwner } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { ProcessPool } from '../platform/process/process-pool.js';
import { RunnerLease } from '../cluster/runner-lease.js';
import type { LostReason } from '../turns/turn-endings.js';
import { TurnsService } from '../turns/turns.service.js';

/** Ends turns that this runner left when it was killed; waiting messages become the next turns. */
@Injectable()
export class TurnRecovery {
  private readonly logger = new Logger(TurnRecovery.name);

  constructor(
    private readonly database: Database,
    private readonly runner: RunnerLease,
    private readonly pool: ProcessPool,
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly turns: TurnsService,
  ) {}

  /** Runs before the first turn is taken, when nothing of this runner can be running. */
  async start(): Promise<void> {
    const leftovers = await this.executionRows.listRunningOf(this.runner.id);
    await this.pool.sweep(leftovers.map((execution) => execution.id));
    for (const execution of leftovers)
      await this.isolated(execution.attempt_id, () => this.lose(execution, 'the server was restarted'));
    if (leftovers.length) this.logger.warn(`${leftovers.length} executions of the last server were ended as failed`);
  }

  private async lose(execution: TurnExecution, reason: LostReason): Promise<void> {
    await this.database.transaction(async (tx) => {
      const attempt = await this.attemptRows.lock(tx, localOwner, execution.attempt_id);
      await this.turns.lose(tx, attempt, execution, reason);
    });
  }

  /** One attempt that cannot be recovered must not keep the server from starting. */
  private async isolated(attempt_id: string, recover: () => Promise<void>): Promise<void> {
    try {
      await recover();
    } catch (error) {
      this.logger.error({ err: error, attempt_id }, 'an attempt could not be recovered');
    }
  }
}
