import type { ProjectRole } from '../types.js';

/** To choose from, with what each may do; each may do what those before it may. */
export const ROLES: readonly (readonly [ProjectRole, string])[] = [
  ['viewer', 'viewer: sees everything'],
  ['member', 'member: works on tasks'],
  ['maintainer', 'maintainer: delivers, sets secrets'],
  ['owner', 'owner: all, and who is in it'],
];
