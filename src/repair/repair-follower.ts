import { Injectable, type OnModuleInit } from '@nestjs/common';
import { goesOnByItself, type Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { type EndedTurn, type TurnFollower, TurnFollowers } from '../turns/turn-followers.js';
import { RepairsService } from './repairs.service.js';

/** Repairs what checks have found, as long as nobody takes over. What is planned goes on later, nothing at once. */
@Injectable()
export class RepairFollower implements TurnFollower, OnModuleInit {
  constructor(
    private readonly followers: TurnFollowers,
    private readonly repairs: RepairsService,
  ) {}

  onModuleInit(): void {
    this.followers.add(this);
  }

  async begun(tx: Transaction, { attempt_id }: TurnExecution, principal: Principal): Promise<void> {
    if (!goesOnByItself(principal)) await this.repairs.takenOver(tx, attempt_id);
  }

  /** A stop is somebody's will. */
  async ended(tx: Transaction, { attempt, execution, ending }: EndedTurn): Promise<boolean> {
    if (execution.run_reason !== 'check') {
      if (ending === 'completed') await this.repairs.afterRound(tx, attempt, execution);
    } else if (ending === 'completed' || ending === 'failed') await this.repairs.afterChecks(tx, attempt, execution);
    return false;
  }
}
