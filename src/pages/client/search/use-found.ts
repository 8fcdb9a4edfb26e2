import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api.js';

/** Typing pauses so long before the server is asked. */
const PAUSE_MS = 120;

interface Found<T> {
  data: T;
  error: ApiError | null;
  isAsking: boolean;
}

/** What the server finds for what is typed: the newest question alone counts.
 *  @param key what is asked; empty asks nothing */
export function useFound<T>(key: string, nothing: T, ask: (signal: AbortSignal) => Promise<T>): Found<T> {
  const [found, setFound] = useState<Found<T>>({ data: nothing, error: null, isAsking: false });
  useEffect(() => {
    if (key === '') return setFound({ data: nothing, error: null, isAsking: false });
    const asked = new AbortController();
    setFound((before) => ({ ...before, isAsking: true }));
    const timer = setTimeout(() => {
      ask(asked.signal)
        .then((data) => setFound({ data, error: null, isAsking: false }))
        .catch((error: unknown) => {
          if (!asked.signal.aborted && error instanceof ApiError) setFound({ data: nothing, error, isAsking: false });
        });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [key]);
  return found;
}
