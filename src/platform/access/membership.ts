import { AppError } from '../errors/app-error.js';

/** Rows that were asked whether their project keeps the acting worker out (SQL function keeps_out). */
export interface Guarded {
  is_kept_out: boolean;
}

/** @throws AppError not_a_member */
export function requireMember<T extends Guarded>(row: T, project_id: string | null): T {
  if (row.is_kept_out) throw new AppError('not_a_member', { project_id });
  return row;
}
