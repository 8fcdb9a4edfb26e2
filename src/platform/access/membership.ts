import { AppError } from '../errors/app-error.js';
import type { Principal } from './principal.js';

/** Rows that were asked whether their project excludes the acting worker (SQL function is_excluded). */
export interface Guarded {
  is_excluded: boolean;
}

/** @throws AppError not_a_member */
export function requireMember<T extends Guarded>(row: T, project_id: string | null): T {
  if (row.is_excluded) throw new AppError('not_a_member', { project_id });
  return row;
}

/** SQL value for `($n::uuid[] IS NULL OR project_id = ANY($n))`: null means every project. */
export const projectScope = (principal: Principal): readonly string[] | null =>
  principal.projects === 'all' ? null : principal.projects;
