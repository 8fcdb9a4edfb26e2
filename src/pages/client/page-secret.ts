/** One half of the session's secret. Storage belongs to this origin; the cookie, the other half, goes to every port of
 *  the host. */
const KEY = 'taskyard-page';

export function keepPageSecret(secret: string | null): void {
  if (secret === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, secret);
}

/** Calls back when another tab of this browser has signed in. @returns what stops that */
export function onSignInElsewhere(listener: () => void): () => void {
  const heard = ({ key, newValue }: StorageEvent) => {
    if (key === KEY && newValue !== null) listener();
  };
  window.addEventListener('storage', heard);
  return () => window.removeEventListener('storage', heard);
}

/** Null for who is not signed in, or needs no session. */
export const pageSecret = (): string | null => localStorage.getItem(KEY);

/** Sent with every request: refusals are then worded for people. */
export function pageHeaders(): Record<string, string> {
  const secret = pageSecret();
  return { 'taskyard-reader': 'person', ...(secret !== null && { 'taskyard-page': secret }) };
}
