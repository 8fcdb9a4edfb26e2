import { createHash } from 'node:crypto';
import * as oidc from 'openid-client';
import type { Environment } from '../config/environment.js';
import { boundedAnswer } from './issuer-connection.js';
import { decodeProtectedHeader } from 'jose';
import { failureOf, unfit } from './sign-in-failure.js';
import { isElsewhere, wordsOf } from './token-holder.js';

const TIMEOUT_SECS = 5;
/** How long the metadata of the provider is used before it is read again. */
const KEPT_MS = 600_000;
/** How long a provider that answered is believed to answer a person who is sent to it. */
const THERE_MS = 5_000;

type Settings = Pick<
  Environment,
  'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'OIDC_SCOPES' | 'OIDC_GROUPS_CLAIM' | 'OIDC_CLOCK_SKEW_SECS'
>;

/** What a browser keeps while its person is at the provider. */
export interface SignInSecrets {
  state: string;
  nonce: string;
  verifier: string;
}

/** What the provider said of a person. */
export interface ProvedIdentity {
  claims: oidc.IDToken;
  groups: string[];
  /** The provider lists its groups elsewhere, because they are too many. */
  hasTooManyGroups: boolean;
  idToken: string;
  refreshToken: string | null;
}

type Tokens = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers;

/** The client of the identity provider by which people sign in at the page: code flow with PKCE.
 *  Every method throws SignInFailure, but for `signOutUrl`. */
export class ProviderClient {
  private found: { at: number; metadata: Promise<oidc.ServerMetadata> } | null = null;
  private keys: NonNullable<ReturnType<typeof oidc.getJwksCache>>['jwks'] | null = null;

  constructor(private readonly settings: Settings) {}

  /** @param redirect_uri where the provider sends the person back to. @returns where to send them */
  async begin(redirect_uri: string): Promise<{ url: string; secrets: SignInSecrets }> {
    const configuration = await this.configuration(THERE_MS);
    const secrets = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
    };
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri,
      scope: this.settings.OIDC_SCOPES,
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(secrets.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, secrets };
  }

  /** @param current where the provider sent the person back to, with its answer */
  finish(current: URL, { state, nonce, verifier }: SignInSecrets): Promise<ProvedIdentity> {
    return this.asked(async (configuration) => {
      const tokens = await oidc.authorizationCodeGrant(configuration, current, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      return this.identityOf(configuration, tokens);
    });
  }

  /** Reads anew who the person is. @param idToken the last one, for a provider that sends none with a refresh */
  renew(refreshToken: string, idToken: string): Promise<ProvedIdentity> {
    return this.asked(async (configuration) => {
      const tokens = await oidc.refreshTokenGrant(configuration, refreshToken);
      return this.identityOf(configuration, tokens, { refreshToken, idToken });
    });
  }

  /** Where the person's session at the provider ends; null if it has no such address, or is away. */
  async signOutUrl(idToken: string, post_logout_redirect_uri: string): Promise<string | null> {
    const configuration = await this.configuration().catch(() => null);
    if (configuration?.serverMetadata().end_session_endpoint === undefined) return null;
    return oidc.buildEndSessionUrl(configuration, { id_token_hint: idToken, post_logout_redirect_uri }).href;
  }

  private async identityOf(
    configuration: oidc.Configuration,
    tokens: Tokens,
    last: { refreshToken: string; idToken: string } | null = null,
  ): Promise<ProvedIdentity> {
    const claims = tokens.claims() ?? (last && claimsOf(last.idToken));
    if (claims === null) throw unfit('it sent no ID token');
    const idToken = tokens.id_token ?? last!.idToken;
    if (tokens.id_token !== undefined) requireBound(tokens.id_token, claims, tokens.access_token);
    return {
      claims,
      ...(await this.groupsOf(configuration, claims, tokens)),
      idToken,
      refreshToken: tokens.refresh_token ?? last?.refreshToken ?? null,
    };
  }

  /** From the ID token, else from userinfo; never from the access token, which is the provider's own business. */
  private async groupsOf(
    configuration: oidc.Configuration,
    claims: oidc.IDToken,
    { access_token, id_token }: Tokens,
  ): Promise<Pick<ProvedIdentity, 'groups' | 'hasTooManyGroups'>> {
    const claim = this.settings.OIDC_GROUPS_CLAIM;
    const said = (found: oidc.IDToken | oidc.UserInfoResponse) => ({
      groups: wordsOf(found[claim]),
      hasTooManyGroups: isElsewhere(found, claim),
    });
    const isKnown = id_token !== undefined && (claim in claims || isElsewhere(claims, claim));
    if (isKnown || configuration.serverMetadata().userinfo_endpoint === undefined) return said(claims);
    return said(await oidc.fetchUserInfo(configuration, access_token, claims.sub));
  }

  private async asked<T>(ask: (configuration: oidc.Configuration) => Promise<T>): Promise<T> {
    const configuration = await this.configuration();
    try {
      return await ask(configuration);
    } catch (error) {
      throw failureOf(error);
    } finally {
      this.keys = oidc.getJwksCache(configuration)?.jwks ?? this.keys;
    }
  }

  /** One for each answer: the library looks for an unknown key of the same one once a minute at most, as if anybody
   *  could send tokens; these come from the provider itself, which may sign by a new key at any time. */
  private async configuration(keptMs = KEPT_MS): Promise<oidc.Configuration> {
    const { OIDC_CLIENT_ID } = this.settings;
    const metadata = structuredClone(await this.metadata(keptMs));
    const configuration = new oidc.Configuration(metadata, OIDC_CLIENT_ID, this.leniency, this.proof);
    configuration.timeout = TIMEOUT_SECS;
    configuration[oidc.customFetch] = boundedAnswer;
    for (const apply of this.checks) apply(configuration);
    if (this.keys) oidc.setJwksCache(configuration, { jwks: this.keys, uat: Math.floor(Date.now() / 1_000) - 60 });
    return configuration;
  }

  private async metadata(keptMs: number): Promise<oidc.ServerMetadata> {
    if (this.found === null || Date.now() - this.found.at > keptMs)
      this.found = { at: Date.now(), metadata: this.discover() };
    const asked = this.found;
    try {
      return await asked.metadata;
    } catch (error) {
      if (this.found === asked) this.found = null; // the next person asks again
      throw failureOf(error);
    }
  }

  private async discover(): Promise<oidc.ServerMetadata> {
    const { OIDC_ISSUER, OIDC_CLIENT_ID } = this.settings;
    const options = { timeout: TIMEOUT_SECS, [oidc.customFetch]: boundedAnswer, execute: this.checks };
    const found = await oidc.discovery(new URL(OIDC_ISSUER), OIDC_CLIENT_ID, this.leniency, this.proof, options);
    return { ...found.serverMetadata() };
  }

  private get leniency(): Partial<oidc.ClientMetadata> {
    return { [oidc.clockTolerance]: this.settings.OIDC_CLOCK_SKEW_SECS };
  }

  private get proof(): oidc.ClientAuth {
    const { OIDC_CLIENT_SECRET } = this.settings;
    return OIDC_CLIENT_SECRET ? oidc.ClientSecretPost(OIDC_CLIENT_SECRET) : oidc.None();
  }

  /** Signatures are verified although the tokens come over TLS; without that only on loopback, as OIDC_ISSUER says. */
  private get checks(): ((configuration: oidc.Configuration) => void)[] {
    const isPlain = new URL(this.settings.OIDC_ISSUER).protocol === 'http:';
    return [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])];
  }
}

/** Claims of an ID token that was verified when it came. */
const claimsOf = (idToken: string): oidc.IDToken =>
  JSON.parse(Buffer.from(idToken.split('.')[1]!, 'base64url').toString('utf8')) as oidc.IDToken;

/** Whether the ID token was issued with this access token, where it says with which. @throws SignInFailure */
function requireBound(idToken: string, { at_hash }: oidc.IDToken, accessToken: string): void {
  if (at_hash === undefined) return;
  const bits = /(\d{3})$/.exec(decodeProtectedHeader(idToken).alg ?? '')?.[1] ?? '512'; // EdDSA hashes with SHA-512
  const digest = createHash(`sha${bits}`).update(accessToken).digest();
  if (digest.subarray(0, digest.length / 2).toString('base64url') !== at_hash)
    throw unfit('its ID token belongs to another access token');
}
