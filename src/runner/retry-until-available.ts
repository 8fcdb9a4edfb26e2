import { setTimeout as pause } from 'node:timers/promises';
import { toAppError } from '../platform/errors/to-app-error.js';

const RETRY_MS = 250;
/** What passes by itself. */
const PASSING = ['database_unavailable', 'write_conflict'];

/** Repeats while the database is away or has ended a quarrel of writers; the work must bear repetition, also where
 *  only its answer was lost.
 *  @returns null once the lease has run out: then another writes the end */
export async function retryUntilAvailable<T>(lost: AbortSignal, work: () => Promise<T>): Promise<T | null> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!PASSING.includes(toAppError(error)?.code ?? '')) throw error;
      if (lost.aborted) return null;
      await pause(RETRY_MS);
    }
  }
}
