import type { Me } from './frame/session.js';
import type { ProjectRole, Scope } from './types.js';

/** To choose from, with what each may do; each may do what those before it may. */
export const ROLES: readonly (readonly [ProjectRole, string])[] = [
  ['viewer', 'viewer: sees everything'],
  ['member', 'member: works on tasks'],
  ['maintainer', 'maintainer: delivers, sets secrets'],
  ['owner', 'owner: all, and who is in it'],
];

const rankOf = (role: ProjectRole): number => ROLES.findIndex(([one]) => one === role);

export const isAtLeast = (role: ProjectRole, least: ProjectRole): boolean => rankOf(role) >= rankOf(least);

export const hasScope = ({ scopes }: Me, scope: Scope): boolean => scopes.includes(scope);

/** Whether somebody may change what is left to a role of a project; the server has the last word. */
export const mayChange = (me: Me, role: ProjectRole, least: ProjectRole): boolean =>
  hasScope(me, 'write') && isAtLeast(role, least);
