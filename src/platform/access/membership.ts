import { AppError } from '../errors/app-error.js';
import type { Principal } from './principal.js';
import { grants, isAtLeast, type ProjectRole } from './scopes.js';

/** Rows that were asked for the role of the acting worker in their project (SQL function project_role). */
export interface Guarded {
  /** Null where the worker is no member. */
  project_role: ProjectRole | null;
}

interface InProject extends Guarded {
  project_id?: string | null;
}

/** Why the caller's role in the row's project is not enough for the operation under way, or null. Who may name anybody
 *  sees every project, and is told; for all others there is nothing where they are no member. */
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
export function requireRole<T extends InProject>(row: T, principal: Principal, nothing: () => AppError): T {
  const refused = refusalFor(row, principal, nothing);
  if (refused !== null) throw refused;
  return row;
}

/** SQL value for `($n::uuid[] IS NULL OR project_id = ANY($n))`: null means every project. */
export const projectScope = (principal: Principal): readonly string[] | null =>
  principal.projects === 'all' ? null : principal.projects;
