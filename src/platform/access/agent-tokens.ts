import { createHash, randomBytes } from 'node:crypto';
import type { Principal } from './principal.js';

/** Who calls with a token that was lent to a running agent. Provided by the module that knows runs. */
export abstract class AgentTokens {
  /** @param hash of the token, as `hashToken` makes it. @returns null where no live run holds it */
  abstract find(hash: string): Promise<Principal | null>;
}

/** 256 random bits; only the hash is stored. */
export const newToken = (): string => randomBytes(32).toString('base64url');
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');
