/** What GitLab reports of a merge request: checks, reviews, comments. */
import type { ForgeClient } from '../forge-client.js';
import { type Json, linkOrNull, listOf, numberOrNull, objectOf, textOf, textOrNull, timeOf } from '../forge-json.js';
import {
  type Check,
  checkReport,
  type CheckReport,
  type PullRequest,
  type PullRequestComment,
  type Review,
  reviewReport,
  type ReviewReport,
} from '../forge.js';

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

/** Access levels of GitLab: from Developer on somebody may push. */
const DEVELOPER = 30;

/** Approvals, and reviewers who ask for changes. An edition that lacks one of them answers 404. */
export async function gitlabReviews(client: ForgeClient, path: string): Promise<ReviewReport> {
  const accept = [403, 404];
  const [approvals, reviewers] = await Promise.all([
    client.send(`${path}/approvals`, { accept }),
    client.send(`${path}/reviewers`, { accept }),
  ]);
  const reviews = [
    ...listOf(objectOf(approvals.body).approved_by).map(({ user }): Review => reviewOf(user, 'approved')),
    ...listOf(reviewers.body)
      .filter(({ state }) => state === 'requested_changes')
      .map(({ user }): Review => reviewOf(user, 'changes_requested')),
  ];
  if (approvals.status !== 200 && reviewers.status !== 200) return { state: 'unknown', reviews };
  return reviewReport(reviews);
}

const reviewOf = (user: unknown, state: Review['state']): Review => ({
  author: textOf(objectOf(user).username, 100),
  state,
  body: '',
});

/** Notes of people, without GitLab's system notes. */
export async function gitlabComments(
  client: ForgeClient,
  projectPath: string,
  { number, url, head_commit }: PullRequest,
): Promise<PullRequestComment[]> {
  const path = `${projectPath}/merge_requests/${number}/discussions?per_page=100`;
  const discussions = listOf(await client.all(path));
  const notes = discussions.flatMap((discussion) =>
    listOf(discussion.notes)
      .filter(({ system }) => system !== true)
      .map((note) => ({ discussion, note })),
  );
  const writers = await trustedOf(
    client,
    projectPath,
    notes.map(({ note }) => objectOf(note.author).id),
  );
  return notes.map(({ discussion, note }) => {
    const position = objectOf(note.position);
    return {
      forge_id: `note:${String(note.id)}`,
      thread_id: note.resolvable === true ? textOrNull(discussion.id, 200) : null,
      author: textOf(objectOf(note.author).username, 100),
      trusted: writers.has(objectOf(note.author).id),
      path: textOrNull(position.new_path, 1_000) ?? textOrNull(position.old_path, 1_000),
      line: numberOrNull(position.new_line) ?? numberOrNull(position.old_line),
      hunk: null,
      body: textOf(note.body),
      url: `${url}#note_${String(note.id)}`,
      resolved: note.resolved === true,
      outdated: isOutdated(position, head_commit),
      created_at: timeOf(note.created_at),
    };
  });
}

export async function resolveGitlabThread(
  client: ForgeClient,
  path: string,
  thread_id: string,
  reply: string | null,
): Promise<void> {
  const thread = `${path}/discussions/${encodeURIComponent(thread_id)}`;
  if (reply !== null) await client.send(`${thread}/notes`, { method: 'POST', body: { body: reply } });
  await client.send(thread, { method: 'PUT', body: { resolved: true } });
}

const isOutdated = ({ head_sha }: Json, head_commit: string): boolean =>
  typeof head_sha === 'string' && head_sha !== head_commit;

/** Each author is asked for once. */
async function trustedOf(client: ForgeClient, projectPath: string, ids: unknown[]): Promise<Set<unknown>> {
  const trusted = new Set<unknown>();
  for (const id of new Set(ids)) {
    if (numberOrNull(id) === null) continue;
    const { status, body } = await client.send(`${projectPath}/members/all/${String(id)}`, { accept: [403, 404] });
    if (status === 200 && (numberOrNull(objectOf(body).access_level) ?? 0) >= DEVELOPER) trusted.add(id);
  }
  return trusted;
}
