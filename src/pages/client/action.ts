import { useState } from 'preact/hooks';
import { ApiError } from './api.js';
import { announce } from './parts/announcer.js';

export interface Action<A extends unknown[]> {
  run: (...args: A) => void;
  isRunning: boolean;
  error: ApiError | null;
  forget: () => void;
}

/** Something that a button does: once at a time, with its refusal kept to be shown beside it.
 *  @param done is said to those who do not see the page */
export function useAction<A extends unknown[]>(act: (...args: A) => Promise<unknown>, done?: string): Action<A> {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const run = async (...args: A) => {
    if (isRunning) return;
    setRunning(true);
    setError(null);
    try {
      await act(...args);
      if (done) announce(done);
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setError(cause);
    } finally {
      setRunning(false);
    }
  };
  return { run: (...args) => void run(...args), isRunning, error, forget: () => setError(null) };
}
