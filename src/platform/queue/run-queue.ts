/** A job taken by this process. Its heartbeat is the only lease of the run behind it. */
export interface LeasedJob {
  id: string;
  data: { attempt_id: string };
  /** Aborts when the claim is gone or could not be renewed in time: whatever runs under it must die. */
  lost: AbortSignal;
}

export type Chore = { kind: string; data: Record<string, unknown> };

/** The queue behind the runs. `enqueue`, `settle` and `addChore` join the open transaction. */
export interface RunQueue {
  enqueue(job_id: string, attempt_id: string): Promise<void>;
  /** Marks a job as finished, whatever its state. */
  settle(job_id: string): Promise<void>;
  work(handler: (job: LeasedJob) => Promise<void>, concurrency: number): Promise<void>;
  /** Jobs whose runner went silent. */
  onLost(handler: (attempt_id: string, job_id: string) => Promise<void>): Promise<void>;
  addChore(chore: Chore): Promise<void>;
  workChores(handlers: Record<string, (data: Record<string, unknown>) => Promise<void>>): Promise<void>;
  /** Takes no more jobs and waits, at most 10 s, for those that run. */
  stop(): Promise<void>;
  /** A chore that repeats on a cron expression, once in the whole cluster. */
  schedule(kind: string, cron: string): Promise<void>;
}

export const RUN_QUEUE = Symbol('RunQueue');
