import type { Principal } from '../platform/access/principal.js';

/** Says whether an endpoint may be bound to an attempt by `?attempt_id=`. Provided by the module that owns attempts. */
export abstract class AttemptBinding {
  /** @throws AppError attempt_not_found where the principal has no such attempt. */
  abstract check(attempt_id: string, principal: Principal): Promise<void>;
}
