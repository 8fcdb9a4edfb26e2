import type { ExecutionEnd } from '../executions/executions.repository.js';
import type { NormalizedEntry } from '../executors/log-entry.js';

export const LOST_AT_SHUTDOWN = 'runner lost: the server was shut down';

export type CutShort = Pick<ExecutionEnd, 'status' | 'failure_summary'> & { error?: NormalizedEntry };

/** What was asked of a process before it exited. Whatever it says at its end, that counts: stopped, it may well exit
 *  with 0. */
export class StopState {
  private requested: 'none' | 'gentle' | 'force' = 'none';
  private hasExited = false;
  private cause: CutShort | null = null;

  get isStopped(): boolean {
    return this.requested !== 'none';
  }

  /** How it was ended from outside; null where it ended by itself. */
  get cutShort(): CutShort | null {
    return this.cause ?? (this.isStopped ? cut('killed', 'killed', 'stopped') : null);
  }

  /** @returns whether the process is to be stopped, or stopped harder, now */
  request(force: boolean): boolean {
    if (this.requested === 'force' || (this.requested === 'gentle' && !force)) return false;
    if (!this.hasExited) this.requested = force ? 'force' : 'gentle';
    return true;
  }

  exited(): void {
    this.hasExited = true;
  }

  interrupted(): void {
    this.endFor(cut('failed', LOST_AT_SHUTDOWN, 'stopped'));
  }

  timedOut(timeoutMs: number): void {
    this.endFor(cut('failed', `timed out after ${timeoutMs / 1_000} s`, 'timeout'));
  }

  /** Only the first cause counts, and none after the exit or a stop. */
  private endFor(cause: CutShort): void {
    if (!this.isStopped && !this.hasExited) this.cause = cause;
  }
}

export const cut = (status: 'failed' | 'killed', failure_summary: string, error_kind: string): CutShort => ({
  status,
  failure_summary,
  error: { type: 'error_message', content: failure_summary, error_kind },
});
