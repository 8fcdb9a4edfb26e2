import { AppError } from '../errors/app-error.js';
import { type Right, rightOf, type Scope, SCOPES } from './scopes.js';

export type ActorType = 'human' | 'agent' | 'system';

/** The recorded actor of a change: a worker, or a system component by name. */
export interface Actor {
  name: string;
  type: ActorType;
}

/** Where a caller comes from; each call has exactly one source. `session` is a person at the page. */
type PrincipalKind = 'owner' | 'token' | 'person' | 'run' | 'session';

/** What the caller presented. Caches drop it once it is revoked or expired. */
interface Credential {
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
  /** The user it acts as, by the id of the calling system; `issuer|subject` for a person. */
  user_id: string | null;
  /** The acting worker, where one is known: membership is enforced then. A user who is no worker yet is NO_WORKER. */
  worker: string | null;
  actor: Actor;
  /** Who acts in the name of another (`act_as`); null where the caller acts for itself. */
  caller: string | null;
  scopes: readonly Scope[];
  /** Instance roles that limit the scopes; only shown to people. */
  roles: readonly string[];
  /** Of the identity provider, which may be members of projects. */
  groups: readonly string[];
  /** The right that the current operation requires; the membership has to include it too. */
  operation: Right;
  projects: 'all' | readonly string[];
  /** Set if the caller names an unknown user: reads see what a worker without projects sees, a write creates the worker
   *  first. */
  newcomer?: { namedBy: string; meet(): Promise<Principal> };
  /** Set where the caller is a run: the attempt it works on, and the task of that attempt. */
  attempt: string | null;
  task: string | null;
  /** A run that reviews: it reads, and says what it thinks. */
  isReviewer: boolean;
  /** A run that may change every task of its project. */
  isFreeAmongTasks: boolean;
  credential: Credential | null;
  /** Whose limits on turns and storage its work counts against; null for its own. A run counts for whoever started
   *  it. */
  chargedTo: string | null;
}

/** Stands for somebody who has a valid credential but is no worker yet: a member of nothing. */
export const NO_WORKER = '00000000-0000-0000-0000-000000000000';

/** The caller that the access check found. A route without a check in front of it refuses everybody.
 *  @throws AppError unauthenticated */
export function principalOf({ principal }: { principal?: Principal }): Principal {
  if (principal === undefined) throw new AppError('unauthenticated');
  return principal;
}

/** Whose limits a call counts against: invented user names count for the caller who named them. */
export const limitedAs = ({ id, newcomer }: Pick<Principal, 'id' | 'newcomer'>): string => newcomer?.namedBy ?? id;

/** Whose limits on turns and storage apply. */
export const chargedAs = (principal: Pick<Principal, 'id' | 'newcomer' | 'chargedTo'>): string =>
  principal.chargedTo ?? limitedAs(principal);

/** Whose words they are: a worker has one id, whatever it signs in with. */
export const writerIdOf = ({ worker, id }: Pick<Principal, 'worker' | 'id'>): string => worker ?? id;

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
  groups: [],
  operation: rightOf({ scope: 'read' }),
  projects: 'all',
  attempt: null,
  task: null,
  isReviewer: false,
  isFreeAmongTasks: false,
  credential: null,
  chargedTo: null,
};

/** The one holder of TASKFLOW_SERVICE_TOKEN. */
export const servicePrincipal: Principal = { ...localOwner, id: 'service', kind: 'token', name: 'service' };

/** The server acting by itself, or on behalf of an agent it runs. */
export const asActor = (name: string, type: ActorType): Principal => ({ ...localOwner, actor: { name, type } });

/** Name of the caller where the server goes on by itself in the name of a person. */
const SERVER = '@taskyard';

/** The server going on in the name of a person, whose rights and limits hold; the audit names both. */
export const goingOn = (principal: Principal): Principal => ({ ...principal, caller: SERVER });

/** Whether nobody asked for what is done in the name of this person. */
export const goesOnByItself = ({ caller }: Pick<Principal, 'caller'>): boolean => caller === SERVER;
