import type { JWTHeaderParameters, JWTPayload } from 'jose';

/** Longer ones are refused unread. */
export const MAX_TOKEN_CHARACTERS = 16 * 1024;
/** RFC 9068 says at+jwt; many issuers say JWT, or nothing. Every other type is a token for something else. */
const TYPES = ['at+jwt', 'application/at+jwt', 'jwt'];
/** What only ID tokens carry, and tokens bound to a key that a bearer does not prove to have. */
const FOREIGN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 'cnf'];
const SUBJECT = /^[\x20-\x7e]{1,255}$/;
const MAX_NAME = 200;

/** Who holds a token, in its issuer's words. Names are labels: `user_id` alone says who it is. */
export interface TokenHolder {
  user_id: string;
  name: string;
  type: 'human' | 'agent';
  groups: string[];
  scopes: string[];
}

/** Whether a token whose signature and dates are right is one to call with. */
export function isAccessToken({ typ }: JWTHeaderParameters, claims: JWTPayload): boolean {
  const hasType = typ === undefined || (typeof typ === 'string' && TYPES.includes(typ.toLowerCase()));
  return hasType && SUBJECT.test(claims.sub ?? '') && !FOREIGN_CLAIMS.some((claim) => claim in claims);
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
function wordsOf(claim: unknown, separator?: string): string[] {
  if (Array.isArray(claim)) return claim.filter((word) => typeof word === 'string');
  if (typeof claim !== 'string' || claim === '') return [];
  return separator === undefined ? [claim] : claim.split(separator).filter(Boolean);
}
