import { useRef, useState } from 'preact/hooks';
import { ApiError } from './api.js';
import { announce } from './parts/announcer.js';

export interface Action<A extends unknown[]> {
  run: (...args: A) => void;
  isRunning: boolean;
  error: ApiError | null;
}

/** An action of a button: one at a time, with its refusal kept to be shown.
 *  @param act takes an idempotency key, which stays the same until the server has answered, so that a request whose
 *  answer was lost is not done twice
 *  @param done is announced to screen readers */
export function useAction<A extends unknown[]>(
  act: (key: string, ...args: A) => Promise<unknown>,
  done?: string,
): Action<A> {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const key = useRef('');
  const run = async (...args: A) => {
    if (isRunning) return;
    setRunning(true);
    setError(null);
    key.current ||= crypto.randomUUID();
    try {
      await act(key.current, ...args);
      key.current = '';
      if (done) announce(done);
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      if (cause.status !== 0) key.current = '';
      setError(cause);
    } finally {
      setRunning(false);
    }
  };
  return { run: (...args) => void run(...args), isRunning, error };
}
