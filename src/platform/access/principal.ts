/** Who calls. Every repository takes it; a project that is not the principal's is not found. */
export interface Principal {
  /** Stable id, the scope of idempotency keys. */
  id: string;
  /** The acting worker, where one is known. */
  worker: string | null;
  scopes: readonly string[];
  projects: 'all' | readonly string[];
  /** Set where the caller is bound to one attempt. */
  attempt: string | null;
}

/** Without authentication the caller owns the machine. */
export const localOwner: Principal = { id: 'local-owner', worker: null, scopes: ['*'], projects: 'all', attempt: null };
