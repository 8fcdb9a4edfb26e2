import type { Environment } from '../config/environment.js';
import type { ProvedIdentity } from '../oidc/provider-client.js';
import { SignInFailure } from '../oidc/sign-in-failure.js';

/** The provider knows the person, and no group of theirs has a role. */
export class NoEntry extends SignInFailure {
  /** @param wayOut where the person's session at the provider ends, which would sign them in again; null without one */
  constructor(
    identity: ProvedIdentity,
    name: string,
    environment: Environment,
    readonly wayOut: string | null,
  ) {
    super(`You are signed in as ${name}, and may not enter`, reasonOf(identity, environment), true);
  }
}

function reasonOf({ groups, hasTooManyGroups }: ProvedIdentity, { OIDC_GROUPS_CLAIM }: Environment): string {
  if (hasTooManyGroups)
    return (
      'The identity provider did not list your groups, because they are too many. Ask whoever runs Taskyard: it can ' +
      'be set to name only those that matter here.'
    );
  return groups.length === 0
    ? `The identity provider names no group of yours in "${OIDC_GROUPS_CLAIM}". Ask whoever runs Taskyard for one.`
    : `None of your groups has a role here: ${groups.slice(0, 20).join(', ')}. Ask whoever runs Taskyard to give one ` +
        'of them a role (OIDC_ROLES).';
}
