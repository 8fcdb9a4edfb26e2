import type { ForgeClient } from '../forge-client.js';
import { type Json, linkOrNull, listOf, numberOrNull, objectOf, textOf, textOrNull, timeOf } from '../forge-json.js';
import { type PullRequestComment, type Review, reviewReport, type ReviewReport } from '../forge.js';

const STATES: Readonly<Record<string, Review['state']>> = {
  APPROVED: 'approved',
  REQUEST_CHANGES: 'changes_requested',
  COMMENT: 'commented',
};

export async function giteaReviews(client: ForgeClient, path: string): Promise<ReviewReport> {
  const reviews = listOf(await client.all(`${path}/reviews?limit=50`));
  return reviewReport(
    reviews.flatMap((one): Review[] => {
      const state = STATES[textOf(one.state)];
      if (state === undefined || one.dismissed === true) return [];
      return [{ author: textOf(objectOf(one.user).login, 100), state, body: textOf(one.body) }];
    }),
  );
}

/** Comments on the pull request and those of its reviews. */
export async function giteaComments(
  client: ForgeClient,
  repository: string,
  repositoryPath: string,
  number: number,
): Promise<PullRequestComment[]> {
  const path = `${repositoryPath}/pulls/${number}/reviews`;
  const plain = listOf(await client.all(`${repositoryPath}/issues/${number}/comments?limit=50`));
  const reviews = listOf(await client.all(`${path}?limit=50`)).filter((one) => numberOrNull(one.comments_count) !== 0);
  const lines: Json[] = [];
  for (const { id } of reviews) lines.push(...listOf(await client.all(`${path}/${String(id)}/comments`)));
  const trusted = await trustedOf(client, repository, repositoryPath, [...plain, ...lines].map(authorOf));
  const comments = [
    ...plain.map((one) => toComment(one, 'issue', trusted)),
    ...lines.map((one) => toComment(one, 'review', trusted)),
  ];
  return comments.sort((a, b) => a.created_at.getTime() - b.created_at.getTime());
}

const authorOf = ({ user }: Json): string => textOf(objectOf(user).login, 100);

function toComment(one: Json, kind: 'issue' | 'review', trusted: ReadonlySet<string>): PullRequestComment {
  const line = numberOrNull(one.position);
  return {
    forge_id: `${kind}:${String(one.id)}`,
    thread_id: null,
    author: authorOf(one),
    trusted: trusted.has(authorOf(one)),
    path: textOrNull(one.path, 1_000),
    line: line === 0 ? null : line,
    hunk: textOrNull(one.diff_hunk, 4_000),
    body: textOf(one.body),
    url: linkOrNull(one.html_url),
    resolved: objectOf(one.resolver).login !== undefined,
    // a line that is gone has no position any more
    outdated: kind === 'review' && line === 0,
    created_at: timeOf(one.created_at),
  };
}

/** The owner, members of the owning organisation, and collaborators. Each author is asked for once. */
async function trustedOf(
  client: ForgeClient,
  repository: string,
  repositoryPath: string,
  authors: string[],
): Promise<Set<string>> {
  const [owner = ''] = repository.split('/');
  const trusted = new Set<string>();
  for (const author of new Set(authors)) {
    if (author === '') continue;
    const name = encodeURIComponent(author);
    const isKnown = async (path: string) =>
      (await client.send(path, { accept: [302, 303, 403, 404, 422] })).status === 204;
    const isTrusted =
      author.toLowerCase() === owner.toLowerCase() ||
      (await isKnown(`${repositoryPath}/collaborators/${name}`)) ||
      (await isKnown(`/orgs/${encodeURIComponent(owner)}/members/${name}`));
    if (isTrusted) trusted.add(author);
  }
  return trusted;
}
