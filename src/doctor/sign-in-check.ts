import type { Environment } from '../config/environment.js';
import { ProviderClient } from '../oidc/provider-client.js';
import { SignInFailure } from '../oidc/sign-in-failure.js';
import { fault, type Finding, ok } from './finding.js';

const MEND =
  'Register a client at the identity provider as docs/sign-in.md says, and set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.';

/** Goes the way of a sign-in as far as nobody has to type: the provider has to know the client, and to say no to a code
 *  that it never gave. */
export async function signInCheck(environment: Environment): Promise<Finding[]> {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, PUBLIC_URL, BASE_PATH } = environment;
  if (OIDC_CLIENT_ID === '') return [];
  const provider = new ProviderClient(environment);
  const callback = `${PUBLIC_URL}${BASE_PATH}/ui/callback`;
  try {
    const { secrets } = await provider.begin(callback);
    const answer = new URLSearchParams({ code: 'never-given', state: secrets.state, iss: OIDC_ISSUER });
    await provider.finish(new URL(`${callback}?${answer.toString()}`), secrets);
    return [fault('sign-in', 'the provider takes codes that it never gave', MEND)];
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    if (error.isOver) return [ok('sign-in', `the provider knows ${OIDC_CLIENT_ID}; people come back to ${callback}`)];
    return [fault('sign-in', `${error.title}: ${error.words}`, MEND)];
  }
}
