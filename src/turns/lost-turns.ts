import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { localOwner } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { type LostTurn, TURN_QUEUE, type TurnQueue } from '../platform/queue/turn-queue.js';
import { TurnsService } from './turns.service.js';

/** Ends the turns of runners that are gone. Every process does it, whatever its role: else a run would be shown as
 *  running for as long as no runner lives. */
@Injectable()
export class LostTurns implements OnApplicationBootstrap {
  constructor(
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    private readonly database: Database,
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly turns: TurnsService,
  ) {}

  onApplicationBootstrap(): void {
    this.queue.onLostTurn((turn) => this.end(turn));
  }

  private async end(turn: LostTurn): Promise<void> {
    try {
      await this.database.transaction((tx) => this.endOne(tx, turn));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'attempt_not_found') throw error;
      await this.database.transaction((tx) => this.queue.settle(tx, turn.job_id)); // its task was deleted
    }
  }

  /** Under the lock of the attempt: of those who find it at the same time one ends it. What no runner had begun is
   *  handed out again. */
  private async endOne(tx: Transaction, turn: LostTurn): Promise<void> {
    const attempt = await this.attemptRows.lock(tx, localOwner, turn.attempt_id);
    const live = await this.executionRows.findLive(attempt.id);
    if (live?.job_id !== turn.job_id) await this.queue.settle(tx, turn.job_id);
    else if (live.status === 'queued') await this.queue.handBack(tx, turn);
    else await this.turns.lose(tx, attempt, live, 'it went silent');
  }
}
