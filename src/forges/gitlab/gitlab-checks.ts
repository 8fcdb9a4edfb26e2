import type { ForgeClient } from '../forge-client.js';
import { linkOrNull, listOf, textOf } from '../forge-json.js';
import { type Check, checkReport, type CheckReport, type PullRequest } from '../forge.js';

const STATES: Readonly<Record<string, Check['state']>> = {
  success: 'passing',
  skipped: 'passing',
  manual: 'passing',
  failed: 'failing',
  canceled: 'failing',
  created: 'pending',
  pending: 'pending',
  preparing: 'pending',
  waiting_for_resource: 'pending',
  running: 'pending',
  scheduled: 'pending',
};

/** The pipelines of the merge request and the statuses of its commit, which other programs report too. Only those of
 *  its head count. */
export async function gitlabChecks(
  client: ForgeClient,
  projectPath: string,
  { number, head_commit }: PullRequest,
): Promise<CheckReport> {
  const [pipelines, statuses] = await Promise.all([
    client.send(`${projectPath}/merge_requests/${number}/pipelines?per_page=20`, { accept: [403, 404] }),
    client.send(`${projectPath}/repository/commits/${head_commit}/statuses?per_page=100`, { accept: [403, 404] }),
  ]);
  const known = statuses.status === 200 ? await pagesFrom(client, statuses.body, statuses.next) : [];
  const [pipeline] = listOf(pipelines.body).filter(({ sha }) => sha === head_commit);
  const checks = [
    ...(pipeline
      ? [{ name: 'pipeline', state: stateOf(pipeline.status, false), url: linkOrNull(pipeline.web_url) }]
      : []),
    ...listOf(known).map((one): Check => ({
      name: textOf(one.name, 200),
      state: stateOf(one.status, one.allow_failure === true),
      url: linkOrNull(one.target_url),
    })),
  ];
  return checkReport(checks, pipelines.status === 200 && statuses.status === 200);
}

async function pagesFrom(client: ForgeClient, first: unknown, next: string | null): Promise<unknown[]> {
  return [...listOf(first), ...(next === null ? [] : await client.all(next))];
}

const stateOf = (status: unknown, mayFail: boolean): Check['state'] => {
  const state = STATES[textOf(status)] ?? 'unknown';
  return state === 'failing' && mayFail ? 'passing' : state;
};
