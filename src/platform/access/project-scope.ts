import type { Principal } from './principal.js';

/** SQL value for `($n::uuid[] IS NULL OR project_id = ANY($n))`: null means every project. */
export const projectScope = (principal: Principal): readonly string[] | null =>
  principal.projects === 'all' ? null : principal.projects;
