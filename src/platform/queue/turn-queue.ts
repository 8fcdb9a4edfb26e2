import type { Transaction } from '../database/database.js';

/** A turn's job, taken by this process. The lease of the process is the only lease of the turn. */
export interface LeasedJob {
  id: string;
  data: {
    attempt_id: string;
    /** Trace of the call that started the turn. */
    traceparent?: string;
  };
  /** The life of the process that took it. */
  incarnation: string;
  /** Aborts when the lease is gone or could not be renewed in time: whatever runs under it must die. */
  lost: AbortSignal;
  /** Asks the database: after a long sleep the clock of this process may have stood still. */
  isHeld(): Promise<boolean>;
}

/** @param project_id whose share of the places the turn takes
 *  @param executor which its runner must have */
export interface NewTurn {
  job_id: string;
  attempt_id: string;
  project_id: string;
  executor: string;
}

/** A turn whose runner is gone. */
export interface LostTurn {
  job_id: string;
  attempt_id: string;
  incarnation: string;
}

/** Work nobody waits for. What fails is tried again, so a handler must bear being repeated. */
export interface HousekeepingJob {
  kind: string;
  data: Record<string, unknown>;
}
export type HousekeepingHandlers = Record<string, (data: Record<string, unknown>) => Promise<void>>;

/** The queue of turns, and of what tidies up behind them. */
export interface TurnQueue {
  /** Behind the turns of its own project with the same priority or more, and beside those of others. */
  enqueueTurn(tx: Transaction, turn: NewTurn): Promise<void>;
  /** The turn is over, whatever its state. */
  settle(tx: Transaction, job_id: string): Promise<void>;
  /** A turn that was taken and never begun waits again. */
  handBack(tx: Transaction, turn: LostTurn): Promise<void>;
  /** Hands out turns, at most `places` at a time. */
  takeTurns(handler: (job: LeasedJob) => Promise<void>, places: number): void;
  /** Turns whose runner is gone, looked for every 2 s. What the handler leaves is handed out again. */
  onLostTurn(handler: (turn: LostTurn) => Promise<void>): void;
  /** Takes no more turns; those that run go on. */
  takeNoMore(): void;
  /** @param tx null where nothing else has to be written together with the job */
  addHousekeeping(tx: Transaction | null, job: HousekeepingJob): Promise<void>;
  workHousekeeping(handlers: HousekeepingHandlers): void;
  /** Housekeeping that repeats on a cron expression, once in the whole cluster. */
  schedule(kind: string, cron: string): Promise<void>;
  unschedule(kind: string): Promise<void>;
  /** Takes no more jobs and waits, at most 20 s, for those that run. May be called again. */
  stop(): Promise<void>;
}

export const TURN_QUEUE = Symbol('TurnQueue');
