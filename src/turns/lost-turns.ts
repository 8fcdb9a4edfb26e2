import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { localOwner } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import type { TakenTurn } from '../cluster/turn-claims.js';
import { TurnQueue } from '../cluster/turn-queue.js';
import { TurnsService } from './turns.service.js';

/** Ends the turns of lost runners. Every role does this, because otherwise runs would show as running while no runner
 *  lives. */
@Injectable()
export class LostTurns implements OnApplicationBootstrap {
  constructor(
    private readonly queue: TurnQueue,
    private readonly database: Database,
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly turns: TurnsService,
  ) {}

  onApplicationBootstrap(): void {
    this.queue.onLostTurn((turn) => this.end(turn));
  }

  private async end(turn: TakenTurn): Promise<void> {
    try {
      await this.database.transaction((tx) => this.endOne(tx, turn));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'attempt_not_found') throw error;
      await this.database.transaction((tx) => this.queue.settle(tx, turn.job_id)); // its task was deleted
    }
  }

  /** Under the lock of the attempt, so that one process ends it, and none if another runner has taken it since. A turn
   *  that was not begun waits again. */
  private async endOne(tx: Transaction, turn: TakenTurn): Promise<void> {
    const attempt = await this.attemptRows.lock(tx, localOwner, turn.attempt_id);
    if (!(await this.queue.lock(tx, turn))) return;
    const live = await this.executionRows.findLive(attempt.id);
    if (live?.job_id !== turn.job_id) await this.queue.settle(tx, turn.job_id);
    else if (live.status === 'queued') await this.queue.giveBack(tx, turn);
    else await this.turns.lose(tx, attempt, live, 'it went silent');
  }
}
