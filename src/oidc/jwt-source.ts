import { decodeJwt, errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose';
import type { Environment } from '../config/environment.js';
import { type BearerSource, isJwt } from '../platform/access/bearer-tokens.js';
import type { Principal } from '../platform/access/principal.js';
import { IssuerKeys } from './issuer-keys.js';
import type { People } from './people.js';
import { rolesOf, scopesOf } from './rights.js';
import { holderOf, personOf } from './token-holder.js';

/** Longer ones are refused unread. */
const MAX_TOKEN_CHARACTERS = 16 * 1024;
/** RFC 9068 says at+jwt; many issuers say JWT, or nothing. Every other type is a token for something else. */
const TYPES = ['at+jwt', 'application/at+jwt', 'jwt'];
/** Claims of ID tokens, and of tokens bound to a key, which a bearer cannot prove. */
const FOREIGN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 'cnf'];
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

/** Whether a token with valid signature and dates is an access token. */
function isAccessToken({ typ }: JWTHeaderParameters, claims: JWTPayload): boolean {
  const hasType = typ === undefined || (typeof typ === 'string' && TYPES.includes(typ.toLowerCase()));
  return hasType && SUBJECT.test(claims.sub ?? '') && !FOREIGN_CLAIMS.some((claim) => claim in claims);
}

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/** Access tokens of the configured issuer: signed by one of its keys, meant for this server, and valid now. */
export class JwtSource implements BearerSource {
  private readonly keys: IssuerKeys;

  /** @param audience a token has to name one of these */
  constructor(
    private readonly environment: Environment,
    private readonly audience: string[],
    private readonly people: People,
  ) {
    this.keys = new IssuerKeys(environment.OIDC_ISSUER);
  }

  recognises(token: string): boolean {
    return isJwt(token);
  }

  /** @throws AppError auth_unavailable */
  async findPrincipal(token: string): Promise<Principal | null> {
    if (token.length > MAX_TOKEN_CHARACTERS) return null;
    try {
      return await this.principalOf(await this.verify(token));
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }

  /** Tokens of other issuers are refused before keys are fetched. @throws JOSEError, AppError */
  private async verify(token: string): Promise<JWTPayload> {
    const { OIDC_ISSUER: issuer, OIDC_CLOCK_SKEW_SECS: clockTolerance } = this.environment;
    if (decodeJwt(token).iss !== issuer) throw new errors.JWTInvalid('the token is of another issuer');
    const { payload, protectedHeader } = await jwtVerify(token, this.keys.find, {
      issuer,
      audience: this.audience,
      algorithms: ALGORITHMS,
      clockTolerance,
      requiredClaims: ['exp', 'sub'],
    });
    if (!isAccessToken(protectedHeader, payload)) throw new errors.JWTInvalid('the token is no access token');
    return payload;
  }

  private async principalOf(claims: JWTPayload): Promise<Principal> {
    const { OIDC_GROUPS_CLAIM, OIDC_ROLES } = this.environment;
    const holder = holderOf(claims, OIDC_GROUPS_CLAIM);
    const roles = rolesOf(holder.groups, OIDC_ROLES);
    const rights = { roles, scopes: scopesOf(holder.scopes, roles) };
    return personOf(holder, rights, await this.people.findByUserId(holder.user_id), claims.exp! * 1_000);
  }
}
