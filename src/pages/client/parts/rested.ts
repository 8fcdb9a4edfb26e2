import { useEffect, useState } from 'preact/hooks';

const REST_MS = 300;

/** A value as it was when it last stood still, so that the server is not asked at each key. */
export function useRested<T>(value: T): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS);
    return () => clearTimeout(timer);
  }, [JSON.stringify(value)]);
  return rested;
}
