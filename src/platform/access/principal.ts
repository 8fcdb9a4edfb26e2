import { AppError } from '../errors/app-error.js';
import { type Right, rightOf, type Scope, SCOPES } from './scopes.js';

export type ActorType = 'human' | 'agent' | 'system';

/** Who is written down for a change: a worker, or by name what acts for nobody in particular. */
export interface Actor {
  name: string;
  type: ActorType;
}

/** Where a caller comes from; each call has exactly one source. `session` is a person at the page. */
export type PrincipalKind = 'owner' | 'token' | 'person' | 'run' | 'session';

/** What the caller showed: dropped wherever it is remembered once it is revoked or over. */
export interface Credential {
  /** Changes are announced as `token:<id>`. */
  id: string;
  /** Epoch in milliseconds; null for never. */
  expires_at: number | null;
}

/** Who calls. Every repository takes it; a project that is not the principal's is not found. */
export interface Principal {
  /** Stable id, the scope of idempotency keys. */
  id: string;
  kind: PrincipalKind;
  /** Shown to people, never compared. */
  name: string;
  /** The user it acts as, in the words of the system that knows them; of a person `issuer|subject`. */
  user_id: string | null;
  /** The acting worker, where one is known: membership is enforced then. A user who is no worker yet is NO_WORKER. */
  worker: string | null;
  actor: Actor;
  /** Who acts in the name of another (`act_as`); null where the caller acts for itself. */
  caller: string | null;
  scopes: readonly Scope[];
  /** Instance roles that the scopes were cut down to; for people to see. */
  roles: readonly string[];
  /** What the operation under way asks of the caller; a membership has to bring it too. */
  operation: Right;
  projects: 'all' | readonly string[];
  /** Set where the caller names a user whom nobody has met: a read sees what a worker without projects sees, and a
   *  write makes that worker first. */
  newcomer?: { namedBy: string; meet(): Promise<Principal> };
  /** Set where the caller is a run: the attempt it works on, and the task of that attempt. */
  attempt: string | null;
  task: string | null;
  /** A run that may change every task of its project. */
  isFreeAmongTasks: boolean;
  credential: Credential | null;
  /** Whose turns and whose storage its work counts for; null for its own. A run works for whoever started it. */
  chargedTo: string | null;
}

/** A worker that no row has: somebody who is known by a credential and has not written anything yet. Member of
 *  nothing. */
export const NO_WORKER = '00000000-0000-0000-0000-000000000000';

/** Who calls, as the access check before the route decided. A route that no check stands before answers nobody.
 *  @throws AppError unauthenticated */
export function principalOf({ principal }: { principal?: Principal }): Principal {
  if (principal === undefined) throw new AppError('unauthenticated');
  return principal;
}

/** Whose limits a call counts for: names that anybody may make up are those of who named them. */
export const limitedAs = ({ id, newcomer }: Pick<Principal, 'id' | 'newcomer'>): string => newcomer?.namedBy ?? id;

/** Whose turns and storage count. */
export const chargedAs = (principal: Pick<Principal, 'id' | 'newcomer' | 'chargedTo'>): string =>
  principal.chargedTo ?? limitedAs(principal);

/** Without authentication the caller owns the machine. */
export const localOwner: Principal = {
  id: 'local-owner',
  kind: 'owner',
  name: 'owner',
  user_id: null,
  worker: null,
  actor: { name: '@owner', type: 'human' },
  caller: null,
  scopes: SCOPES,
  roles: [],
  operation: rightOf({ scope: 'read' }),
  projects: 'all',
  attempt: null,
  task: null,
  isFreeAmongTasks: false,
  credential: null,
  chargedTo: null,
};

/** The one holder of TASKFLOW_SERVICE_TOKEN. */
export const servicePrincipal: Principal = { ...localOwner, id: 'service', kind: 'token', name: 'service' };

/** The server acting by itself, or on behalf of an agent it runs. */
export const asActor = (name: string, type: ActorType): Principal => ({ ...localOwner, actor: { name, type } });
