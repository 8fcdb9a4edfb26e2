/** One half of the session's secret. Storage belongs to this origin; the cookie, the other half, goes to every port of
 *  the host. */
const KEY = 'taskyard-page';

export function keepPageSecret(secret: string | null): void {
  if (secret === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, secret);
}

/** Sent with every request. */
export function pageHeaders(): Record<string, string> {
  const secret = localStorage.getItem(KEY);
  return secret === null ? {} : { 'taskyard-page': secret };
}
