/** What only GraphQL knows of GitHub: drafts, the merge queue, and threads of comments with their state. */
import { reposPath } from '../forge-address.js';
import { type ForgeClient, saidBy } from '../forge-client.js';
import { type Json, linkOrNull, listOf, numberOrNull, objectOf, textOf, textOrNull, timeOf } from '../forge-json.js';
import type { MergeOutcome, PullRequestComment } from '../forge.js';

const PULL_REQUEST = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { id mergeQueueEntry { state } } }
}`;
const ENQUEUE = `mutation ($id: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $head }) { mergeQueueEntry { state } }
}`;
const READY = `mutation ($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { id } }
}`;
const DRAFT = `mutation ($id: ID!) {
  convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { id } }
}`;

/** What GitHub's REST interface cannot do. */
export class GithubGraph {
  constructor(private readonly client: ForgeClient) {}

  /** @throws AppError forge_failed with the first of GitHub's errors */
  async ask(query: string, variables: object): Promise<Json> {
    const { data, said } = await this.tell(query, variables);
    if (said !== '') throw this.client.failed(said);
    return data;
  }

  async isQueued(repository: string, number: number): Promise<boolean> {
    return objectOf((await this.pullRequest(repository, number)).mergeQueueEntry).state !== undefined;
  }

  async setDraft(repository: string, number: number, draft: boolean): Promise<void> {
    const { id } = await this.pullRequest(repository, number);
    await this.ask(draft ? DRAFT : READY, { id });
  }

  async enqueue(repository: string, number: number, head: string): Promise<MergeOutcome> {
    const { id } = await this.pullRequest(repository, number);
    const { said } = await this.tell(ENQUEUE, { id, head });
    if (said === '' || /already in the (merge )?queue/i.test(said)) return { outcome: 'queued' };
    if (/merge queue.*not (enabled|required|found)|no merge queue|not.*in a merge queue/i.test(said))
      return { outcome: 'no_queue' };
    return /head|oid/i.test(said) ? { outcome: 'head_moved' } : { outcome: 'refused', reason: said };
  }

  private async pullRequest(repository: string, number: number): Promise<Json> {
    const [owner = '', name = ''] = repository.split('/');
    const data = await this.ask(PULL_REQUEST, { owner, name, number });
    return objectOf(objectOf(data.repository).pullRequest);
  }

  private async tell(query: string, variables: object): Promise<{ data: Json; said: string }> {
    const { body } = await this.client.send(this.url, { method: 'POST', body: { query, variables } });
    const { data, errors } = objectOf(body);
    return { data: objectOf(data), said: Array.isArray(errors) ? saidBy({ errors }) || 'the query failed' : '' };
  }

  /** `https://api.github.com/graphql`; beside `/api/v3` of an Enterprise server it is `/api/graphql`. */
  private get url(): string {
    return `${textOf(this.client.apiUrl).replace(/\/v3$/, '')}/graphql`;
  }
}

const FIELDS = `pageInfo { hasNextPage endCursor }
  nodes { databaseId author { login } authorAssociation body diffHunk url createdAt }`;
const THREADS = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 50, after: $after) { pageInfo { hasNextPage endCursor }
      nodes { id isResolved isOutdated path line comments(first: 100) { ${FIELDS} } } }
  } }
}`;
const MORE_OF_THREAD = `query ($id: ID!, $after: String) {
  node(id: $id) { ... on PullRequestReviewThread { comments(first: 100, after: $after) { ${FIELDS} } } }
}`;
const RESOLVE = `mutation ($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved } } }`;
const TRUSTED = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);
const MAX_PAGES = 50;

/** Comments on the pull request and on its lines. Only GraphQL knows which of these are resolved. */
export async function githubComments(
  client: ForgeClient,
  graph: GithubGraph,
  repository: string,
  number: number,
): Promise<PullRequestComment[]> {
  const path = `${reposPath(repository)}/issues/${number}/comments?per_page=100`;
  const [plain, threads] = await Promise.all([client.all(path), threadsOf(graph, repository, number)]);
  const comments = [...listOf(plain).map(toPlain), ...threads];
  return comments.sort((a, b) => a.created_at.getTime() - b.created_at.getTime());
}

/** @param path of the pull request */
export async function resolveGithubThread(
  client: ForgeClient,
  graph: GithubGraph,
  path: string,
  { thread_id, forge_id, reply }: { thread_id: string; forge_id: string; reply: string | null },
): Promise<void> {
  const comment = forge_id.replace(/^review:/, '');
  if (reply !== null)
    await client.send(`${path}/comments/${encodeURIComponent(comment)}/replies`, {
      method: 'POST',
      body: { body: reply },
    });
  await graph.ask(RESOLVE, { id: thread_id });
}

async function threadsOf(graph: GithubGraph, repository: string, number: number): Promise<PullRequestComment[]> {
  const [owner = '', name = ''] = repository.split('/');
  const comments: PullRequestComment[] = [];
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const data: Json = await graph.ask(THREADS, { owner, name, number, after });
    const threads = objectOf(objectOf(objectOf(data.repository).pullRequest).reviewThreads);
    for (const thread of listOf(threads.nodes)) comments.push(...(await commentsOf(graph, thread)));
    after = nextCursor(threads);
    if (after === null) break;
  }
  return comments;
}

async function commentsOf(graph: GithubGraph, thread: Json): Promise<PullRequestComment[]> {
  let comments = objectOf(thread.comments);
  const found = listOf(comments.nodes);
  for (let after = nextCursor(comments); after !== null; after = nextCursor(comments)) {
    const data = await graph.ask(MORE_OF_THREAD, { id: thread.id, after });
    comments = objectOf(objectOf(data.node).comments);
    found.push(...listOf(comments.nodes));
  }
  return found.map((comment) => toReview(thread, comment));
}

function nextCursor({ pageInfo }: Json): string | null {
  const { hasNextPage, endCursor } = objectOf(pageInfo);
  return hasNextPage === true ? textOrNull(endCursor) : null;
}

const toReview = (thread: Json, comment: Json): PullRequestComment => ({
  forge_id: `review:${String(comment.databaseId)}`,
  thread_id: textOrNull(thread.id, 200),
  author: textOf(objectOf(comment.author).login, 100),
  trusted: TRUSTED.has(textOf(comment.authorAssociation)),
  path: textOrNull(thread.path, 1_000),
  line: numberOrNull(thread.line),
  hunk: textOrNull(comment.diffHunk, 4_000),
  body: textOf(comment.body),
  url: linkOrNull(comment.url),
  resolved: thread.isResolved === true,
  outdated: thread.isOutdated === true,
  created_at: timeOf(comment.createdAt),
});

const toPlain = (comment: Json): PullRequestComment => ({
  forge_id: `issue:${String(comment.id)}`,
  thread_id: null,
  author: textOf(objectOf(comment.user).login, 100),
  trusted: TRUSTED.has(textOf(comment.author_association)),
  path: null,
  line: null,
  hunk: null,
  body: textOf(comment.body),
  url: linkOrNull(comment.html_url),
  resolved: false,
  outdated: false,
  created_at: timeOf(comment.created_at),
});
