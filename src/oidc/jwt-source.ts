import { decodeJwt, errors, jwtVerify, type JWTPayload } from 'jose';
import type { Environment } from '../config/environment.js';
import type { BearerSource } from '../platform/access/bearer-source.js';
import { localOwner, NO_WORKER, type Principal } from '../platform/access/principal.js';
import { isJwt } from '../platform/access/token-forms.js';
import { holderOf, isAccessToken, MAX_TOKEN_CHARACTERS } from './access-token.js';
import { IssuerKeys } from './issuer-keys.js';
import { rolesOf, scopesOf } from './rights.js';

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/** A worker, as far as it matters to who calls. */
export interface Person {
  id: string;
  handle: string;
  type: 'human' | 'agent';
}

/** Who of the holders of tokens is known here already. Provided by the module that knows workers. */
export abstract class People {
  /** @param user_id `issuer|subject` */
  abstract findByUserId(user_id: string): Promise<Person | null>;
}

/** Access tokens of the configured issuer: signed by one of its keys, meant for this server, and valid now. */
export class JwtSource implements BearerSource {
  private readonly keys: IssuerKeys;

  /** @param audience of which a token has to name one */
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

  /** What another issuer signed is refused before ours is asked for keys. @throws JOSEError, AppError */
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

  /** Somebody who has not written anything yet is a member of nothing. */
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
