import { useEffect, useRef, useState } from 'preact/hooks';
import { api, must } from '../api.js';
import { base } from '../base.js';
import { keepPageSecret, pageHeaders } from '../page-secret.js';
import { useResource } from '../resource.js';

const SESSION = `${base}/ui/session`;

/** Sends the token once; from then on an HttpOnly cookie and a secret of this page identify the session. */
export async function signIn(token: string): Promise<void> {
  const { page_secret } = (await must(ask('POST', { token }))) as { page_secret: string };
  keepPageSecret(page_secret);
}

/** Follows the link of the greeting, whose code is good once. */
export async function signInByLink(): Promise<void> {
  const [, code] = /^#sign-in=(.+)$/.exec(location.hash) ?? [];
  if (code === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  window.early = undefined; // requested before the sign-in
  await signIn(code).catch(() => undefined); // over: the form asks for a token
}

/** Drops an invalid cookie, which would block callers that need none. */
async function forget(): Promise<void> {
  await must(ask('DELETE'));
  keepPageSecret(null);
}

export async function signOut(): Promise<void> {
  await forget();
  location.reload();
}

async function ask(method: string, body?: object) {
  const type: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
  const headers = { ...type, ...pageHeaders() };
  const response = await fetch(SESSION, { method, headers, body: body && JSON.stringify(body) });
  const data = response.status === 204 ? null : ((await response.json()) as unknown);
  return { data, error: data, response };
}

/** The caller as the server sees it. */
export function useMe() {
  const { data: me, error, reload } = useResource('me', () => must(api.GET('/api/me')));
  const [isSignedOut, setSignedOut] = useState(false);
  const hasForgotten = useRef(false);
  useEffect(() => {
    const end = () => {
      window.early = undefined; // requested before the sign-in
      if (hasForgotten.current) return setSignedOut(true);
      hasForgotten.current = true;
      void forget().then(reload);
    };
    window.addEventListener('signed-out', end);
    return () => window.removeEventListener('signed-out', end);
  }, []);
  const enter = () => {
    setSignedOut(false);
    reload();
  };
  return { me, error, isSignedOut, reload: enter };
}
