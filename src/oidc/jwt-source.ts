import { decodeJwt, errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose';
import type { Environment } from '../config/environment.js';
import { type BearerSource, isJwt } from '../platform/access/bearer-tokens.js';
import { localOwner, NO_WORKER, type Principal } from '../platform/access/principal.js';
import { IssuerKeys } from './issuer-keys.js';
import { rolesOf, scopesOf } from './rights.js';

/** Longer ones are refused unread. */
const MAX_TOKEN_CHARACTERS = 16 * 1024;
/** RFC 9068 says at+jwt; many issuers say JWT, or nothing. Every other type is a token for something else. */
const TYPES = ['at+jwt', 'application/at+jwt', 'jwt'];
/** Claims of ID tokens, and of tokens bound to a key, which a bearer cannot prove. */
const FOREIGN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 'cnf'];
const SUBJECT = /^[\x20-\x7e]{1,255}$/;
const MAX_NAME = 200;

/** The holder of a token, as its issuer says. Names are labels; only `user_id` identifies. */
interface TokenHolder {
  user_id: string;
  name: string;
  type: 'human' | 'agent';
  groups: string[];
  scopes: string[];
}

/** Whether a token with valid signature and dates is an access token. */
function isAccessToken({ typ }: JWTHeaderParameters, claims: JWTPayload): boolean {
  const hasType = typ === undefined || (typeof typ === 'string' && TYPES.includes(typ.toLowerCase()));
  return hasType && SUBJECT.test(claims.sub ?? '') && !FOREIGN_CLAIMS.some((claim) => claim in claims);
}

/** @param groupsClaim the claim that lists groups */
function holderOf(claims: JWTPayload, groupsClaim: string): TokenHolder {
  const { iss = '', sub = '', client_id } = claims;
  return {
    user_id: `${iss}|${sub}`,
    name: nameIn(claims) ?? sub,
    type: sub === client_id ? 'agent' : 'human', // a program that called in its own name
    groups: wordsOf(claims[groupsClaim]),
    scopes: [...wordsOf(claims.scope, ' '), ...wordsOf(claims.scp, ' ')],
  };
}

function nameIn({ name, preferred_username, email }: JWTPayload): string | undefined {
  return [name, preferred_username, email]
    .filter((given) => typeof given === 'string')
    .map((given) => given.replace(/[\p{C}\s]+/gu, ' ').trim())
    .find((given) => given !== '')
    ?.slice(0, MAX_NAME);
}

/** Issuers write a list, or one text. */
function wordsOf(claim: unknown, separator?: string): string[] {
  if (Array.isArray(claim)) return claim.filter((word) => typeof word === 'string');
  if (typeof claim !== 'string' || claim === '') return [];
  return separator === undefined ? [claim] : claim.split(separator).filter(Boolean);
}

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/** The parts of a worker that matter for a principal. */
export interface Person {
  id: string;
  handle: string;
  type: 'human' | 'agent';
}

/** Finds workers of token holders. Provided by the module that knows workers. */
export abstract class People {
  /** @param user_id `issuer|subject` */
  abstract findByUserId(user_id: string): Promise<Person | null>;
}

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

  /** Somebody who is no worker yet is a member of nothing. */
  private async principalOf(claims: JWTPayload): Promise<Principal> {
    const { OIDC_GROUPS_CLAIM, OIDC_ROLES } = this.environment;
    const { user_id, name, type, groups, scopes } = holderOf(claims, OIDC_GROUPS_CLAIM);
    const roles = rolesOf(groups, OIDC_ROLES);
    const person = await this.people.findByUserId(user_id);
    return {
      ...localOwner,
      id: `person:${user_id}`,
      kind: 'person',
      name,
      user_id,
      worker: person?.id ?? NO_WORKER,
      actor: { name: person?.handle ?? name, type: person?.type ?? type },
      scopes: scopesOf(scopes, roles),
      roles,
      credential: { id: `oidc:${user_id}`, expires_at: claims.exp! * 1_000 },
    };
  }
}
