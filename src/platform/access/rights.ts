/** What a caller may do: by its scopes, by its role in a project, and as a run. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.js';
import type { Principal } from './principal.js';
import { grants, isAtLeast, type ProjectRole, type Right, rightOf, type Scope } from './scopes.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route asks of its caller; null where each call of it says so itself. */
    right?: Right | null;
  }
}

/** A route that declares no right is for administrators. */
const unsaid = rightOf({ scope: 'admin' });

/** The scope that the caller lacks. If an operation requires a role beyond its scope, a caller without memberships has
 *  to be an administrator. */
function missingScope({ scopes, worker }: Principal, { scope, role }: Right): Scope | null {
  if (!scopes.includes(scope)) return scope;
  const isBeyondScope = role !== rightOf({ scope }).role;
  return isBeyondScope && worker === null && !scopes.includes('admin') ? 'admin' : null;
}

/** The caller in this operation. @throws AppError insufficient_scope */
export function withRight(principal: Principal, right: Right): Principal {
  const scope = missingScope(principal, right);
  if (scope !== null) throw new AppError('insufficient_scope', { scope });
  return principal.operation === right ? principal : { ...principal, operation: right };
}

/** Runs before a body is read, as soon as the caller is known. */
export function requireRights(server: FastifyInstance): void {
  server.addHook('onRequest', (request, _, done) => {
    requireRightOfRoute(request);
    done();
  });
}

/** @throws AppError insufficient_scope */
function requireRightOfRoute(request: FastifyRequest): void {
  const { principal, is404, routeOptions } = request;
  if (principal === undefined || is404) return; // probes, the documentation, and what is nowhere
  const { right = unsaid } = routeOptions.config;
  if (right !== null) request.principal = withRight(principal, right);
}

/** Rows that were asked for the role of the acting worker in their project (SQL function project_role). */
export interface Guarded {
  /** Null where the worker is no member. */
  project_role: ProjectRole | null;
}

interface InProject extends Guarded {
  project_id?: string | null;
}

/** Why the caller's role in the row's project does not allow the operation, or null. Only callers with act_as learn
 *  that a project exists of which they are no member; for others it is not found. */
export function refusalFor(
  { project_role, project_id }: InProject,
  { scopes, operation }: Principal,
  nothing: () => AppError,
): AppError | null {
  if (project_role === null)
    return scopes.includes('act_as') ? new AppError('not_a_member', { project_id }) : nothing();
  if (!grants(project_role, operation.scope))
    return new AppError('insufficient_scope', { scope: operation.scope, project_id });
  if (isAtLeast(project_role, operation.role)) return null;
  return new AppError('forbidden', { reason: `only an ${operation.role} of the project may do this` });
}

/** @throws AppError not_a_member or what is given, insufficient_scope, forbidden */
export function requireRole<T extends InProject>(
  row: T,
  principal: Principal,
  nothing: () => AppError,
): T & { project_role: ProjectRole } {
  const refused = refusalFor(row, principal, nothing);
  if (refused !== null) throw refused;
  return row as T & { project_role: ProjectRole };
}

/** SQL value for `($n::uuid[] IS NULL OR project_id = ANY($n))`: null means every project. */
export const projectScope = (principal: Principal): readonly string[] | null =>
  principal.projects === 'all' ? null : principal.projects;

const OF_ADMIN = '\t';

/** SQL value of who asks for project_role: the worker and its groups, a line each; null for a caller without
 *  memberships, who may what its scopes allow. A tab stands for an administrator, whatever groups are called. */
export function membershipOf({
  worker,
  groups,
  scopes,
}: Pick<Principal, 'worker' | 'groups' | 'scopes'>): string | null {
  if (worker === null) return null;
  const named = groups.filter((group) => !/[\n\t]/.test(group));
  return [worker, ...(scopes.includes('admin') ? [OF_ADMIN] : []), ...named].join('\n');
}

interface TaskPlace {
  id: string;
  parent_task_id: string | null;
}

export const isRun = ({ attempt }: Principal): boolean => attempt !== null;

/** @throws AppError forbidden if a run calls what is not for runs */
export function requireCaller(principal: Principal, isForRuns: boolean, action: string): void {
  if (isRun(principal) && !isForRuns)
    throw new AppError(
      'forbidden',
      { reason: `a run may not ${action}` },
      'A run reads its project and changes its own task and the subtasks of that; leave the rest to a person.',
    );
}

/** @throws AppError forbidden if a run changes a task that is not its own */
export function requireChangeable(principal: Principal, { id, parent_task_id }: TaskPlace): void {
  if (parentOf(principal) === null || [id, parent_task_id].includes(principal.task)) return;
  throw new AppError(
    'forbidden',
    { reason: 'a run may change its own task and the subtasks of that only' },
    'Change the task that get_context returns, or create a subtask of it; AGENT_SCOPES=tasks allows every task.',
  );
}

/** Which tools a run may use; null for every other caller. */
export const RUN_REACHES = ['own', 'attempts', 'review'] as const;
export type RunReach = (typeof RUN_REACHES)[number];
export function runReachOf(principal: Principal): RunReach | null {
  if (!isRun(principal)) return null;
  if (principal.isReviewer) return 'review';
  return principal.scopes.includes('execute') ? 'attempts' : 'own';
}

/** @param task whose attempt is to be started, followed up or stopped
 *  @throws AppError forbidden where a run did not make it, or may do none of that */
export function requireMade(principal: Principal, task: { made_by_attempt_id: string | null }): void {
  requireCaller(principal, runReachOf(principal) === 'attempts', 'start, follow up or stop attempts');
  if (!isRun(principal) || task.made_by_attempt_id === principal.attempt) return;
  throw new AppError(
    'forbidden',
    { reason: 'a run may start, follow up and stop attempts of tasks that it made only' },
    'Create a task of your own and start that; leave the others to a person.',
  );
}

/** The task below which everything the caller creates has to be; null if it is free. */
export const parentOf = ({ task, isFreeAmongTasks }: Principal): string | null => (isFreeAmongTasks ? null : task);
