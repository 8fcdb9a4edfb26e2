import type { Principal } from './principal.js';

/** One kind of bearer token. At most one source recognises a token, by its form alone. */
export interface BearerSource {
  recognises(token: string): boolean;
  /** @returns null where the token is not, or no longer, valid
   *  @throws AppError auth_unavailable where that cannot be found out now */
  findPrincipal(token: string): Promise<Principal | null>;
}
