import type { Environment } from '../config/environment.js';
import type { ProvedIdentity } from '../oidc/provider-client.js';
import { rolesOf, scopesOf } from '../oidc/rights.js';
import { holderOf, personOf } from '../oidc/token-holder.js';
import type { Principal } from '../platform/access/principal.js';
import { SCOPES } from '../platform/access/scopes.js';

/** Whoever signed in at the provider, with all that their groups allow; without scopes nothing does.
 *  @param expires_at epoch in milliseconds */
export function signedInAs(
  { claims, groups }: ProvedIdentity,
  { OIDC_GROUPS_CLAIM, OIDC_ROLES }: Pick<Environment, 'OIDC_GROUPS_CLAIM' | 'OIDC_ROLES'>,
  expires_at: number,
): Principal {
  const holder = { ...holderOf(claims, OIDC_GROUPS_CLAIM), type: 'human' as const, groups };
  const roles = rolesOf(groups, OIDC_ROLES);
  return personOf(holder, { roles, scopes: scopesOf(SCOPES, roles) }, null, expires_at);
}
