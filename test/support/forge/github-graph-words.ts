import { type Answer, type ForgeCall, type ForgeWorld, ok } from './forge-call.js';
import type { ForgeRepository, TestComment, TestPull } from './forge-repository.js';

interface Found {
  repository: ForgeRepository;
  pull: TestPull;
}
/** What the next page of a list begins after. */
const PAGE = 2;

/** The queries of GraphQL that GitHub's REST interface has no calls for. */
export function githubGraph(world: ForgeWorld, { body }: ForgeCall): Answer {
  const query = String(body.query);
  const variables = body.variables as Record<string, string | number | null>;
  const said = (message: string) => ok({ data: null, errors: [{ message }] });
  if (query.includes('resolveReviewThread')) return resolve(world, String(variables.id));
  if (/^query \(\$id/.test(query)) return thread(world, variables);
  const found = /\$id/.test(query) ? byNode(world, String(variables.id)) : byNumber(world, variables);
  if (!found) return said('Could not resolve to a node.');
  const { repository, pull } = found;
  if (query.includes('enqueuePullRequest')) {
    if (!repository.hasQueue) return said('The merge queue is not enabled for this branch');
    if (variables.head !== repository.find(pull.number)!.head_commit) return said('Head oid does not match');
    pull.queued = true;
    return ok({ data: { enqueuePullRequest: { mergeQueueEntry: { state: 'QUEUED' } } } });
  }
  if (query.includes('markPullRequestReadyForReview') || query.includes('convertPullRequestToDraft')) {
    pull.draft = query.includes('convertPullRequestToDraft');
    return ok({ data: {} });
  }
  if (query.includes('reviewThreads')) return threads(repository, pull, variables.after);
  const mergeQueueEntry = pull.queued ? { state: 'QUEUED' } : null;
  return ok({ data: { repository: { pullRequest: { id: nodeOf(found), mergeQueueEntry } } } });
}

const nodeOf = ({ repository, pull }: Found): string => `PR:${repository.full_name}:${pull.number}`;

function byNode(world: ForgeWorld, id: string): Found | undefined {
  const [, full_name = '', number] = id.split(':');
  return foundIn(world, full_name, Number(number));
}

const byNumber = (world: ForgeWorld, { owner, name, number }: Record<string, unknown>): Found | undefined =>
  foundIn(world, `${String(owner)}/${String(name)}`, Number(number));

function foundIn(world: ForgeWorld, full_name: string, number: number): Found | undefined {
  const repository = world.repository(full_name);
  const pull = repository?.find(number);
  return repository && pull ? { repository, pull } : undefined;
}

function threads(repository: ForgeRepository, pull: TestPull, after: unknown): Answer {
  const names = [...new Set(pull.comments.filter(({ path }) => path !== null).map(({ thread }) => thread))];
  const nodes = names.map((name) => {
    const comments = pull.comments.filter((one) => one.thread === name);
    const [first] = comments;
    return {
      id: `${nodeOf({ repository, pull })}:${name}`,
      isResolved: first!.resolved,
      isOutdated: first!.commit !== pull.head_commit,
      path: first!.path,
      line: first!.line,
      comments: paged(
        comments.map((one) => commentOf(repository, one)),
        null,
      ),
    };
  });
  return ok({ data: { repository: { pullRequest: { reviewThreads: paged(nodes, after) } } } });
}

function thread(world: ForgeWorld, { id, after }: Record<string, unknown>): Answer {
  const found = byNode(world, String(id));
  const comments = found?.pull.comments.filter((one) => one.thread === String(id).split(':').at(-1)) ?? [];
  const nodes = comments.map((one) => commentOf(found!.repository, one));
  return ok({ data: { node: { comments: paged(nodes, after) } } });
}

function resolve(world: ForgeWorld, id: string): Answer {
  const comments = byNode(world, id)?.pull.comments.filter((one) => one.thread === id.split(':').at(-1)) ?? [];
  if (comments.length === 0) return ok({ data: null, errors: [{ message: 'Could not resolve to a node.' }] });
  comments.forEach((one) => (one.resolved = true));
  return ok({ data: { resolveReviewThread: { thread: { isResolved: true } } } });
}

function paged(nodes: object[], after: unknown): object {
  const from = Number(after ?? 0);
  const pageInfo = { hasNextPage: nodes.length > from + PAGE, endCursor: String(from + PAGE) };
  return { pageInfo, nodes: nodes.slice(from, from + PAGE) };
}

const commentOf = (repository: ForgeRepository, { id, author, body, created_at, line }: TestComment): object => ({
  databaseId: id,
  author: { login: author },
  authorAssociation: repository.members.has(author) ? 'COLLABORATOR' : 'NONE',
  body,
  diffHunk: `@@ -${line} +${line} @@\n+changed`,
  url: `https://forge.example/comment/${id}`,
  createdAt: created_at,
});
