import { Injectable } from '@nestjs/common';

/** Under which the hub says that a stop of an execution is asked for. */
export const stopKey = (execution_id: string): string => `stop:${execution_id}`;

/** A turn that runs in this process, as far as others may touch it. */
export interface ActiveTurn {
  stop(force: boolean): void;
  /** The server ends: the turn was cut short, whatever its process makes of it. */
  interrupt(): void;
}

/** The turns that run in this process now, by the id of their execution: a stop asked for here reaches them at once. */
@Injectable()
export class ActiveTurns {
  private readonly turns = new Map<string, ActiveTurn>();

  add(execution_id: string, turn: ActiveTurn): void {
    this.turns.set(execution_id, turn);
  }

  delete(execution_id: string): void {
    this.turns.delete(execution_id);
  }

  /** Does nothing where the turn runs elsewhere; its runner reads the request from the row. */
  stop(execution_id: string, force: boolean): void {
    this.turns.get(execution_id)?.stop(force);
  }

  interruptAll(): void {
    this.turns.forEach((turn) => turn.interrupt());
  }
}
