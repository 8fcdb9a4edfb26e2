import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Environment } from '../config/environment.js';
import { IssuerKeys } from './issuer-keys.js';

const LOGGED_OUT = 'http://schemas.openid.net/event/backchannel-logout';
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const MAX_AGE_SECS = 300;

/** Whom the provider signed out: a person everywhere, or one session of theirs. */
export interface ToldLogout {
  person: string | null;
  provider_session: string | null;
  /** It counts once. */
  jti: string;
  expires_at: Date;
}

/** Tokens by which the provider tells that somebody signed out there (OpenID Connect Back-Channel Logout 1.0). */
export class LogoutTokens {
  private readonly keys: IssuerKeys;

  constructor(
    private readonly environment: Pick<Environment, 'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLOCK_SKEW_SECS'>,
  ) {
    this.keys = new IssuerKeys(environment.OIDC_ISSUER);
  }

  /** Null for what is no such token. @throws AppError auth_unavailable */
  async read(token: string): Promise<ToldLogout | null> {
    try {
      return toldBy(await this.verify(token));
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }

  private async verify(token: string): Promise<JWTPayload> {
    const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: audience, OIDC_CLOCK_SKEW_SECS: clockTolerance } = this.environment;
    if (decodeJwt(token).iss !== issuer) throw new errors.JWTInvalid('the token is of another issuer');
    const checks = { issuer, audience, clockTolerance, algorithms: ALGORITHMS, maxTokenAge: MAX_AGE_SECS };
    return (await jwtVerify(token, this.keys.find, { ...checks, requiredClaims: ['iat', 'jti'] })).payload;
  }
}

function toldBy({ iss, sub, sid, jti, nonce, events, iat = 0 }: JWTPayload): ToldLogout | null {
  const isLogout = typeof events === 'object' && events !== null && LOGGED_OUT in events;
  if (!isLogout || nonce !== undefined || (sub === undefined && typeof sid !== 'string')) return null;
  return {
    person: sub === undefined ? null : `${iss}|${sub}`,
    provider_session: typeof sid === 'string' ? sid : null,
    jti: `${iss}|${jti}`,
    expires_at: new Date((iat + 2 * MAX_AGE_SECS) * 1_000),
  };
}
