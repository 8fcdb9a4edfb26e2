import type { GroupRole, InstanceRole } from '../config/variable-kinds.js';
import { type Scope, SCOPES } from '../platform/access/scopes.js';

const working = ['read', 'write', 'execute', 'approve', 'deliver'] as const satisfies Scope[];

/** The most that each role of OIDC_ROLES allows; memberships limit it in each project. */
const scopesOfRole: Record<InstanceRole, readonly Scope[]> = {
  read: ['read'],
  write: working,
  admin: [...working, 'admin'],
  act_as: ['act_as'],
};

/** Scopes that a token's `write` covers. `approve` has to be requested by name. */
const asWrite: readonly Scope[] = ['write', 'execute', 'deliver'];

/** The word with which a client requests the scope. */
export const wordFor = (scope: Scope): Scope => (asWrite.includes(scope) ? 'write' : scope);

export function rolesOf(groups: readonly string[], table: readonly GroupRole[]): InstanceRole[] {
  const held = table.filter(({ group }) => group === '*' || groups.includes(group));
  return [...new Set(held.map(({ role }) => role))];
}

/** Scopes allowed by both the token and the roles of its holder, because clients request every scope.
 *  @param given words of the token, of which some mean nothing here */
export function scopesOf(given: readonly string[], roles: readonly InstanceRole[]): Scope[] {
  const asked = SCOPES.filter((scope) => given.includes(scope)).flatMap((scope) =>
    scope === 'write' ? asWrite : scope,
  );
  return SCOPES.filter((scope) => asked.includes(scope) && roles.some((role) => scopesOfRole[role].includes(scope)));
}
