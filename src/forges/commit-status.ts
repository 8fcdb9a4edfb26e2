import type { CommitStatus } from './forge.js';
import type { ForgeClient } from './forge-client.js';

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
