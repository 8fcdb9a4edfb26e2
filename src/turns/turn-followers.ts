import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import type { ExecutionEnd } from '../executions/executions.repository.js';
import type { Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import type { Ending } from './turn-endings.js';

/** A turn that is over: its last execution, and how that ended. */
export interface EndedTurn {
  attempt: Attempt;
  execution: TurnExecution;
  end: ExecutionEnd;
  ending: Ending;
}

/** What a room above does about turns, each in the transaction and under the lock of the attempt. */
export interface TurnFollower {
  /** One was queued in somebody's name. */
  begun?(tx: Transaction, execution: TurnExecution, principal: Principal): Promise<void>;
  /** One ended, and no message follows it; heard by all before anything goes on. */
  over?(tx: Transaction, turn: EndedTurn): Promise<void>;
  /** The same, for whoever may go on. @returns whether something of the attempt goes on at once */
  ended?(tx: Transaction, turn: EndedTurn): Promise<boolean>;
  /** Somebody stopped the attempt, whether anything was live or not. */
  stopped?(tx: Transaction, attempt: Attempt, principal: Principal): Promise<void>;
}

/** Those who want to know, in the order in which they asked; each asks when the server begins. */
@Injectable()
export class TurnFollowers {
  private readonly all: TurnFollower[] = [];

  add(follower: TurnFollower): void {
    this.all.push(follower);
  }

  async begun(tx: Transaction, execution: TurnExecution, principal: Principal): Promise<void> {
    for (const follower of this.all) await follower.begun?.(tx, execution, principal);
  }

  /** Tells all, then asks one after the other until something goes on. */
  async ended(tx: Transaction, turn: EndedTurn): Promise<boolean> {
    for (const follower of this.all) await follower.over?.(tx, turn);
    for (const follower of this.all) if (await follower.ended?.(tx, turn)) return true;
    return false;
  }

  async stopped(tx: Transaction, attempt: Attempt, principal: Principal): Promise<void> {
    for (const follower of this.all) await follower.stopped?.(tx, attempt, principal);
  }
}
