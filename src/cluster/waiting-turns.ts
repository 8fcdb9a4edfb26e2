import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import * as sql from './waiting.sql.js';

/** Turns that wait for a runner of one pool with one executor. */
export interface WaitingTurnCount {
  /** Its labels, or default. */
  pool: string;
  executor: string;
  waiting: number;
  /** no_place where one lives that could take them. */
  reason: 'no_runner' | 'no_runner_with_label' | 'no_place';
}

/** What waits in the queue of turns, by who could take it. */
@Injectable()
export class WaitingTurns {
  constructor(private readonly database: Database) {}

  count(): Promise<WaitingTurnCount[]> {
    return this.database.query<WaitingTurnCount>(sql.LIST_WAITING);
  }
}
