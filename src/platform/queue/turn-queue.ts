import type { Transaction } from '../database/database.js';

/** A job taken by this process. Its heartbeat is the only lease of the turn behind it. */
export interface LeasedJob {
  id: string;
  data: { attempt_id: string };
  /** Aborts when the claim is gone or could not be renewed in time: whatever runs under it must die. */
  lost: AbortSignal;
}

/** Work that nobody waits for. */
export interface HousekeepingJob {
  kind: string;
  data: Record<string, unknown>;
}
export type HousekeepingHandlers = Record<string, (data: Record<string, unknown>) => Promise<void>>;

/** The queue that leases turns to runners, one job a turn. */
export interface TurnQueue {
  enqueueTurn(tx: Transaction, job_id: string, attempt_id: string): Promise<void>;
  /** Marks a job as finished, whatever its state. */
  settle(tx: Transaction, job_id: string): Promise<void>;
  /** @param places how many turns run here at the same time */
  takeTurns(handler: (job: LeasedJob) => Promise<void>, places: number): Promise<void>;
  /** Jobs whose runner went silent. */
  onLostTurn(handler: (attempt_id: string, job_id: string) => Promise<void>): Promise<void>;
  /** @param tx null where the job belongs to no change */
  addHousekeeping(tx: Transaction | null, job: HousekeepingJob): Promise<void>;
  workHousekeeping(handlers: HousekeepingHandlers): Promise<void>;
  /** Housekeeping that repeats on a cron expression, once in the whole cluster. */
  schedule(kind: string, cron: string): Promise<void>;
  /** Takes no more jobs and waits, at most 10 s, for those that run. */
  stop(): Promise<void>;
}

export const TURN_QUEUE = Symbol('TurnQueue');
