import type { Principal } from './principal.js';

/** Turns the `X-User-Id` of a call into its acting worker. Provided by the module that knows workers. */
export abstract class PrincipalSource {
  /** @throws AppError worker_not_found */
  abstract actAs(user_id: string, principal: Principal): Promise<Principal>;
}
