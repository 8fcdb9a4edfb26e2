import type { ForgeClient } from '../forge-client.js';
import { type Json, listOf, numberOrNull, objectOf, textOf, textOrNull, timeOf } from '../forge-json.js';
import { type PullRequest, type PullRequestComment, type Review, reviewReport, type ReviewReport } from '../forge.js';

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

/** Notes of people; what GitLab writes down by itself is none. */
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
