import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import type { RunReason, TurnExecution } from '../executions/execution.entity.js';
import { goesOnByItself, type Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { type EndedTurn, type TurnFollower, TurnFollowers } from '../turns/turn-followers.js';
import { ContinuationsService } from './continuations.service.js';
import { RetriesService } from './retries.service.js';

/** What else runs is repeated by those who began it. */
const ofTurns: readonly RunReason[] = ['setupscript', 'codingagent', 'cleanupscript'];

/** A message of somebody, and a stop, take the attempt out of the server's hands; a failure that passes does not. */
@Injectable()
export class ContinuationFollower implements TurnFollower {
  constructor(
    followers: TurnFollowers,
    private readonly continuations: ContinuationsService,
    private readonly retries: RetriesService,
  ) {
    followers.add(this); // before those who go on after a turn: what counts retries has to hear of its end
  }

  async begun(tx: Transaction, { attempt_id }: TurnExecution, principal: Principal): Promise<void> {
    if (!goesOnByItself(principal)) await this.continuations.takenOver(tx, attempt_id, principal);
  }

  /** Nothing goes on at once. */
  async ended(tx: Transaction, turn: EndedTurn): Promise<boolean> {
    if (ofTurns.includes(turn.execution.run_reason)) await this.retries.after(tx, turn);
    return false;
  }

  stopped(tx: Transaction, attempt: Attempt, principal: Principal): Promise<void> {
    return this.continuations.dropDue(tx, attempt.id, 'the attempt was stopped', principal);
  }
}
