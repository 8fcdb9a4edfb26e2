import type { JWTPayload } from 'jose';
import type { InstanceRole } from '../config/variable-kinds.js';
import { localOwner, NO_WORKER, type Principal } from '../platform/access/principal.js';
import type { Scope } from '../platform/access/scopes.js';
import type { Person } from './people.js';

const MAX_NAME = 200;

/** The holder of a token, as its issuer says. Names are labels; only `user_id` identifies. */
export interface TokenHolder {
  user_id: string;
  name: string;
  type: 'human' | 'agent';
  groups: string[];
  scopes: string[];
}

/** @param groupsClaim the claim that lists groups */
export function holderOf(claims: JWTPayload, groupsClaim: string): TokenHolder {
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
export function wordsOf(claim: unknown, separator?: string): string[] {
  if (Array.isArray(claim)) return claim.filter((word) => typeof word === 'string');
  if (typeof claim !== 'string' || claim === '') return [];
  return separator === undefined ? [claim] : claim.split(separator).filter(Boolean);
}

/** Whether a claim is listed somewhere else: Entra does that for groups, above 200 of them. */
export function isElsewhere(claims: JWTPayload, claim: string): boolean {
  const names: unknown = claims._claim_names;
  return typeof names === 'object' && names !== null && claim in names;
}

/** A person by what its issuer says. Somebody who is no worker yet is a member of nothing.
 *  @param expires_at epoch in milliseconds */
export function personOf(
  { user_id, name, type, groups }: TokenHolder,
  { roles, scopes }: { roles: readonly InstanceRole[]; scopes: readonly Scope[] },
  person: Person | null,
  expires_at: number,
): Principal {
  return {
    ...localOwner,
    id: `person:${user_id}`,
    kind: 'person',
    name,
    user_id,
    worker: person?.id ?? NO_WORKER,
    actor: { name: person?.handle ?? name, type: person?.type ?? type },
    scopes,
    roles,
    groups,
    credential: { id: `oidc:${user_id}`, expires_at },
  };
}
