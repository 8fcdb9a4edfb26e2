import type { Me } from './frame/session.js';
import type { ProjectRole, Scope } from './types.js';

const ROLES: readonly ProjectRole[] = ['viewer', 'member', 'maintainer', 'owner'];

export const isAtLeast = (role: ProjectRole, least: ProjectRole): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(least);

export const hasScope = ({ scopes }: Me, scope: Scope): boolean => scopes.includes(scope);

/** Whether somebody may change what is left to a role of a project; the server has the last word. */
export const mayChange = (me: Me, role: ProjectRole, least: ProjectRole): boolean =>
  hasScope(me, 'write') && isAtLeast(role, least);
