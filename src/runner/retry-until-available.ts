import { setTimeout as pause } from 'node:timers/promises';
import { toAppError } from '../platform/errors/to-app-error.js';

const RETRY_MS = 250;

/** Repeats while the database is away; the work must bear repetition, also where only its answer was lost.
 *  @returns null once the lease has run out: then another writes the end */
export async function retryUntilAvailable<T>(lost: AbortSignal, work: () => Promise<T>): Promise<T | null> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (toAppError(error)?.code !== 'database_unavailable') throw error;
      if (lost.aborted) return null;
      await pause(RETRY_MS);
    }
  }
}
