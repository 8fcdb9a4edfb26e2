import type { Transaction } from '../database/database.js';

/** A turn's job, taken by this process. Its heartbeat is the only lease of the turn. */
export interface LeasedJob {
  id: string;
  data: {
    attempt_id: string;
    /** Trace of the call that started the turn. */
    traceparent?: string;
  };
  /** Aborts when the claim is gone or could not be renewed in time: whatever runs under it must die. */
  lost: AbortSignal;
}

/** @param project_id whose share of the places the turn takes */
export interface NewTurn {
  job_id: string;
  attempt_id: string;
  project_id: string;
}

/** Work nobody waits for. What fails is tried again, so a handler must bear being repeated. */
export interface HousekeepingJob {
  kind: string;
  data: Record<string, unknown>;
}
export type HousekeepingHandlers = Record<string, (data: Record<string, unknown>) => Promise<void>>;

/** The queue of turns, and of what tidies up behind them. */
export interface TurnQueue {
  /** Behind the turns of its own project, and beside those of others. */
  enqueueTurn(tx: Transaction, turn: NewTurn): Promise<void>;
  /** Marks a turn's job as finished, whatever its state. */
  settle(tx: Transaction, job_id: string): Promise<void>;
  /** Hands out turns, at most `places` at a time. */
  takeTurns(handler: (job: LeasedJob) => Promise<void>, places: number): void;
  /** Turns whose runner went silent. */
  onLostTurn(handler: (attempt_id: string, job_id: string) => Promise<void>): void;
  /** @param tx null where nothing else has to be written together with the job */
  addHousekeeping(tx: Transaction | null, job: HousekeepingJob): Promise<void>;
  workHousekeeping(handlers: HousekeepingHandlers): void;
  /** Housekeeping that repeats on a cron expression, once in the whole cluster. */
  schedule(kind: string, cron: string): Promise<void>;
  /** Takes no more jobs and waits, at most 20 s, for those that run. May be called again. */
  stop(): Promise<void>;
}

export const TURN_QUEUE = Symbol('TurnQueue');
