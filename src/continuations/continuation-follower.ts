import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { goesOnByItself, type Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { type TurnFollower, TurnFollowers } from '../turns/turn-followers.js';
import { ContinuationsService } from './continuations.service.js';

/** A message of somebody, and a stop, take the attempt out of the server's hands. */
@Injectable()
export class ContinuationFollower implements TurnFollower, OnApplicationBootstrap {
  constructor(
    private readonly followers: TurnFollowers,
    private readonly continuations: ContinuationsService,
  ) {}

  onApplicationBootstrap(): void {
    this.followers.add(this);
  }

  async begun(tx: Transaction, { attempt_id }: TurnExecution, principal: Principal): Promise<void> {
    if (!goesOnByItself(principal)) await this.continuations.takenOver(tx, attempt_id, principal);
  }

  stopped(tx: Transaction, attempt: Attempt, principal: Principal): Promise<void> {
    return this.continuations.dropDue(tx, attempt.id, 'the attempt was stopped', principal);
  }
}
