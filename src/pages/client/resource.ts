import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from './api.js';
import { type BoardEvent, onEvent } from './feed.js';

/** Changes within this time are read together. */
const GATHER_MS = 250;
const TRY_AGAIN_MS = 3_000;
const TRIED_AGAIN = 'It is tried again by itself.';

export interface Resource<T> {
  data: T | null;
  error: ApiError | null;
  reload: () => void;
}

/** Data of a view, read again with each change that concerns it; the old data stays meanwhile.
 *  @param key names the data: another key drops the former */
export function useResource<T>(
  key: string,
  read: () => Promise<T>,
  concerns: (event: BoardEvent) => boolean = () => false,
): Resource<T> {
  const [state, setState] = useState<{ key: string; data: T | null; error: ApiError | null }>(nothing(key));
  const latest = useRef({ key, read, concerns, turn: 0 });
  Object.assign(latest.current, { key, read, concerns });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const reload = useCallback(async (isFirst = false) => {
    clearTimeout(timer.current);
    const turn = ++latest.current.turn;
    try {
      const data = await (isFirst ? together(latest.current.key, latest.current.read) : latest.current.read());
      if (turn === latest.current.turn) setState({ key: latest.current.key, data, error: null });
    } catch (error) {
      if (turn !== latest.current.turn || !(error instanceof ApiError)) return;
      const isCutOff = error.code === 'unreachable';
      const shown = isCutOff ? new ApiError(error.code, error.message, TRIED_AGAIN, 0) : error;
      setState((before) => ({ ...before, key: latest.current.key, error: shown }));
      if (isCutOff) timer.current = setTimeout(() => void reload(), TRY_AGAIN_MS);
    }
  }, []);

  useEffect(() => {
    setState((before) => (before.key === key ? before : nothing(key)));
    void reload(true);
    return () => {
      latest.current.turn += 1; // ignores requests still in progress
      clearTimeout(timer.current);
    };
  }, [key]);

  useEffect(
    () =>
      onEvent((event) => {
        if (event !== 'resumed' && !latest.current.concerns(event)) return;
        clearTimeout(timer.current);
        timer.current = setTimeout(() => void reload(), GATHER_MS);
      }),
    [],
  );
  const shown = state.key === key ? state : nothing<T>(key);
  return { data: shown.data, error: shown.error, reload: () => void reload() };
}

/** Reads again and again while something goes on that the page is not told of, and while somebody looks. */
export function useLookingAgain(goesOn: boolean, every_ms: number, { reload }: Resource<unknown>): void {
  useEffect(() => {
    if (!goesOn) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), every_ms);
    return () => clearInterval(timer);
  }, [goesOn]);
}

const firstReads = new Map<string, Promise<unknown>>();

/** Parts of a view that begin with the same data read it once. */
function together<T>(key: string, read: () => Promise<T>): Promise<T> {
  const begun = firstReads.get(key) as Promise<T> | undefined;
  if (begun) return begun;
  const own = read().finally(() => firstReads.delete(key));
  firstReads.set(key, own);
  return own;
}

const nothing = <T>(key: string) => ({ key, data: null as T | null, error: null });
