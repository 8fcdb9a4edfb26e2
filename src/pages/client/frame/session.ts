import { useEffect, useRef, useState } from 'preact/hooks';
import { api, must } from '../api.js';
import { base } from '../base.js';
import { useResource } from '../resource.js';

const SESSION = `${base}/ui/session`;

/** Gives the token away once: from then on a cookie that no script can read names the session. */
export const signIn = (token: string) => must(ask('POST', { token }));

/** A cookie that is good for nothing any more would stand in the way of who needs none. */
const forget = () => must(ask('DELETE'));

export async function signOut(): Promise<void> {
  await forget();
  location.reload();
}

async function ask(method: string, body?: object) {
  const sent = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(SESSION, { method, ...sent });
  const data = response.status === 204 ? null : ((await response.json()) as unknown);
  return { data, error: data, response };
}

/** Who the server takes the page for. */
export function useMe() {
  const { data: me, error, reload } = useResource('me', () => must(api.GET('/api/me')));
  const [isSignedOut, setSignedOut] = useState(false);
  const hasForgotten = useRef(false);
  useEffect(() => {
    const end = () => {
      window.early?.clear(); // asked for in the name of nobody
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
