import type { ForgeClient } from './forge-client.js';

/** What is said of a commit under one name; the last word counts. */
export interface CommitStatus {
  context: string;
  state: 'pending' | 'passed' | 'failed' | 'errored';
  /** A line. */
  description: string;
}

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
