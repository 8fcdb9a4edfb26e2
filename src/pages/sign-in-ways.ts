import type { Environment } from '../config/environment.js';

type Settings = Pick<Environment, 'OIDC_CLIENT_ID' | 'PAGE_TOKEN_SIGN_IN'>;

const hasProvider = ({ OIDC_CLIENT_ID }: Settings): boolean => OIDC_CLIENT_ID !== '';

/** Whether people may sign in at the page with a token. */
export const takesTokens = (settings: Settings): boolean =>
  settings.PAGE_TOKEN_SIGN_IN === 'on' || (settings.PAGE_TOKEN_SIGN_IN === 'auto' && !hasProvider(settings));

/** Ways to sign in, for the page: some of `provider` and `token`. */
export const waysToSignIn = (settings: Settings): string =>
  [...(hasProvider(settings) ? ['provider'] : []), ...(takesTokens(settings) ? ['token'] : [])].join(' ');
