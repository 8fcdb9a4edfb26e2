import { setTimeout as pause } from 'node:timers/promises';
import { toAppError } from '../platform/errors/to-app-error.js';

const RETRY_MS = 250;
const PASSING = ['database_unavailable', 'write_conflict'];
export const isPassing = (error: unknown): boolean => PASSING.includes(toAppError(error)?.code ?? '');

/** Retries while the database is away or ended a conflict of writers; the work must be repeatable, even if only its
 *  answer was lost. @returns null once the lease is lost: then another process writes the end */
export async function retryUntilAvailable<T>(lost: AbortSignal, work: () => Promise<T>): Promise<T | null> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (lost.aborted) return null;
      await pause(RETRY_MS);
    }
  }
}
