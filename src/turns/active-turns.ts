import { Injectable } from '@nestjs/common';

/** Key that announces a stop request for an execution. */
export const stopKey = (execution_id: string): string => `stop:${execution_id}`;

/** A turn that runs in this process, as seen by those who stop it. */
export interface ActiveTurn {
  stop(force: boolean): void;
  /** The server shuts down: the turn counts as interrupted, however its process exits. */
  interrupt(): void;
}

/** The turns that run in this process, by execution id, so that a stop requested here reaches them at once. */
@Injectable()
export class ActiveTurns {
  private readonly turns = new Map<string, ActiveTurn>();

  add(execution_id: string, turn: ActiveTurn): void {
    this.turns.set(execution_id, turn);
  }

  delete(execution_id: string): void {
    this.turns.delete(execution_id);
  }

  /** Does nothing if the turn runs elsewhere, where its runner reads the request from the row. */
  stop(execution_id: string, force: boolean): void {
    this.turns.get(execution_id)?.stop(force);
  }

  interruptAll(): void {
    this.turns.forEach((turn) => turn.interrupt());
  }
}
