import { randomBytes } from 'node:crypto';
import type { BearerSource } from './bearer-source.js';
import type { Principal } from './principal.js';

/** The one address that the token of a run opens, with `?attempt_id=` of the run. */
export const RUN_PATH = '/mcp';

const PREFIX = 'ty_run_';
const FORM = new RegExp(`^${PREFIX}[\\w-]{43}$`);

/** An unguessable token; its prefix distinguishes it from the token of the server. */
export const newRunToken = (): string => `${PREFIX}${randomBytes(32).toString('base64url')}`;
export const isRunToken = (token: string): boolean => FORM.test(token);

/** Tokens that agents are given while they run. Provided by the module that knows runs. */
export abstract class RunTokens implements BearerSource {
  recognises(token: string): boolean {
    return isRunToken(token);
  }

  /** @returns the agent, bound to the attempt it works on; null where no such run is live */
  abstract findPrincipal(token: string): Promise<Principal | null>;
}
