import type { GroupRole, InstanceRole } from '../config/variable-kinds.js';
import { type Scope, SCOPES } from '../platform/access/scopes.js';

const working = ['read', 'write', 'execute', 'approve', 'deliver'] as const satisfies Scope[];

/** What each role of OIDC_ROLES allows at most; its memberships cut that down in each project. */
export const scopesOfRole: Record<InstanceRole, readonly Scope[]> = {
  read: ['read'],
  write: working,
  admin: [...working, 'admin'],
  act_as: ['act_as'],
};

/** Scopes of a token that are asked for as one. Agents work under `write`; to approve what agents ask for is a right
 *  that has to be asked for by its name. */
const asWrite: readonly Scope[] = ['write', 'execute', 'deliver'];

/** What a client has to ask its user for to hold the scope. */
export const wordFor = (scope: Scope): Scope => (asWrite.includes(scope) ? 'write' : scope);

export function rolesOf(groups: readonly string[], table: readonly GroupRole[]): InstanceRole[] {
  const held = table.filter(({ group }) => group === '*' || groups.includes(group));
  return [...new Set(held.map(({ role }) => role))];
}

/** What both the token and the roles of its holder allow: clients ask for every scope there is.
 *  @param given words of the token, of which some mean nothing here */
export function scopesOf(given: readonly string[], roles: readonly InstanceRole[]): Scope[] {
  const asked = SCOPES.filter((scope) => given.includes(scope)).flatMap((scope) =>
    scope === 'write' ? asWrite : scope,
  );
  return SCOPES.filter((scope) => asked.includes(scope) && roles.some((role) => scopesOfRole[role].includes(scope)));
}
