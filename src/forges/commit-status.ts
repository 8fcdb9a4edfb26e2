import type { CommitStatus } from './forge.js';
import type { ForgeClient } from './forge-client.js';

/** The name under which it is said. */
export const CONTEXT = 'taskyard/checks';
const DESCRIPTIONS: Record<CommitStatus['state'], string> = {
  pending: 'The checks of this commit have not ended yet.',
  passed: 'The required checks have passed on this commit.',
  failed: 'A required check has failed on this commit.',
  errored: 'A required check could not be run on this commit.',
};
const STATES = { pending: 'pending', passed: 'success', failed: 'failure', errored: 'error' } as const;

/** As GitHub, Gitea and Forgejo take it. A commit that is not there is no matter. */
export async function setCommitStatus(
  client: ForgeClient,
  path: string,
  { context, state, description }: CommitStatus,
): Promise<void> {
  await client.send(path, {
    method: 'POST',
    body: { context, state: STATES[state], description },
    accept: [404, 422],
  });
}

/** What is said of a commit whose checks stand so. */
export const statusOfChecks = (state: CommitStatus['state']): CommitStatus => ({
  context: CONTEXT,
  state,
  description: DESCRIPTIONS[state],
});
