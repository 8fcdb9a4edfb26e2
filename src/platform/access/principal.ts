import { AppError } from '../errors/app-error.js';

export type ActorType = 'human' | 'agent' | 'system';

/** Who is written down for a change: a worker, or by name what acts for nobody in particular. */
export interface Actor {
  name: string;
  type: ActorType;
}

/** Who calls. Every repository takes it; a project that is not the principal's is not found. */
export interface Principal {
  /** Stable id, the scope of idempotency keys. */
  id: string;
  /** The acting worker, where one is known: membership is enforced then. */
  worker: string | null;
  actor: Actor;
  scopes: readonly string[];
  projects: 'all' | readonly string[];
  /** Set where the caller is a run: the attempt it works on, and the task of that attempt. */
  attempt: string | null;
  task: string | null;
}

/** Who calls, as the access check before the route decided. A route that no check stands before answers nobody.
 *  @throws AppError unauthenticated */
export function principalOf({ principal }: { principal?: Principal }): Principal {
  if (principal === undefined) throw new AppError('unauthenticated');
  return principal;
}

/** Without authentication the caller owns the machine. */
export const localOwner: Principal = {
  id: 'local-owner',
  worker: null,
  actor: { name: '@owner', type: 'human' },
  scopes: ['*'],
  projects: 'all',
  attempt: null,
  task: null,
};

/** The server acting by itself, or on behalf of an agent it runs. */
export const asActor = (name: string, type: ActorType): Principal => ({ ...localOwner, actor: { name, type } });
