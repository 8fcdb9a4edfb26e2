import { useEffect, useRef, useState } from 'preact/hooks';
import { api, ApiError, must } from '../api.js';
import { base } from '../base.js';
import type { components } from '../generated/api.js';
import { keepPageSecret, onSignInElsewhere, pageHeaders } from '../page-secret.js';
import { useResource } from '../resource.js';

/** The caller as the server sees it. */
export type Me = components['schemas']['MeOutput'];

const WHERE = 'Copy the whole of it, or ask whoever runs the server for another one.';
const UNKNOWN = new ApiError('unauthorized', 'The server does not know this token.', WHERE, 401);

/** Sends the token once; from then on an HttpOnly cookie and a secret of this page identify the session. */
export async function signIn(token: string): Promise<void> {
  const asked = must(ask('session', { token })).catch((error: ApiError) => {
    throw error.status === 401 ? UNKNOWN : error;
  });
  const { page_secret } = (await asked) as { page_secret: string };
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

/** Also drops an invalid cookie, which would block callers that need none. @returns where to go then */
async function forget(): Promise<string> {
  const { location } = (await must(ask('sign-out', {}))) as { location: string };
  keepPageSecret(null);
  return location;
}

/** Here, and at the identity provider where the person came from there. */
export async function signOut(): Promise<void> {
  location.assign(await forget());
}

async function ask(what: 'session' | 'sign-out', body: object) {
  const headers = { 'content-type': 'application/json', ...pageHeaders() };
  const response = await fetch(`${base}/ui/${what}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const data = (await response.json()) as unknown;
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
    hasForgotten.current = false;
    setSignedOut(false);
    reload();
  };
  useEffect(() => onSignInElsewhere(enter), []);
  return { me, error, isSignedOut, reload: enter };
}
