import { type Answer, type ForgeCall, type ForgeWorld, ok, refuse, routed, type Words } from './forge-call.js';
import type { ForgeRepository, TestComment, TestPull } from './forge-repository.js';

const REVIEWS = { APPROVED: 'APPROVED', CHANGES_REQUESTED: 'REQUEST_CHANGES', COMMENTED: 'COMMENT' } as const;

/** The REST interface of Gitea and Forgejo. */
export const giteaWords: Words = (world, call) => {
  const of =
    (work: (repository: ForgeRepository, parts: Record<string, string>) => Answer) =>
    (parts: Record<string, string>) => {
      const repository = world.repository(`${parts.owner}/${parts.repo}`);
      return repository ? work(repository, parts) : refuse(404, "The target couldn't be found.");
    };
  const one = (work: (repository: ForgeRepository, pull: TestPull, parts: Record<string, string>) => Answer) =>
    of((repository, parts) => {
      const pull = repository.find(Number(parts.number));
      return pull ? work(repository, pull, parts) : refuse(404, "The target couldn't be found.");
    });
  const repo = '/repos/{owner}/{repo}';
  return routed(call, {
    [`GET ${repo}/pulls`]: of((repository) => {
      const state = call.query.get('state') ?? 'open';
      const found = repository.pulls.filter(
        (pull) => state === 'all' || (pull.state === 'open') === (state === 'open'),
      );
      return { status: 200, items: found.map((pull) => pullOf(world, repository, pull)) };
    }),
    [`POST ${repo}/pulls`]: of((repository) => create(world, repository, call)),
    [`GET ${repo}/pulls/{number}`]: one((repository, pull) => ok(pullOf(world, repository, pull))),
    [`PATCH ${repo}/pulls/{number}`]: one((repository, pull) => patch(world, repository, pull, call)),
    [`POST ${repo}/pulls/{number}/merge`]: one((repository, pull) => merge(world, repository, pull, call)),
    [`GET ${repo}/pulls/{number}/reviews`]: one((_, pull) => ({ status: 200, items: reviewsOf(pull) })),
    [`GET ${repo}/pulls/{number}/reviews/{id}/comments`]: one((_, pull, { id }) => ({
      status: 200,
      items: pull.comments.filter((comment) => comment.path !== null && reviewIdOf(comment) === Number(id)).map(lineOf),
    })),
    [`GET ${repo}/issues/{number}/comments`]: one((_, pull) => ({
      status: 200,
      items: pull.comments.filter(({ path }) => path === null).map(plainOf),
    })),
    [`GET ${repo}/commits/{sha}/statuses`]: of((repository, { sha }) => ({
      status: 200,
      items: (repository.checks.get(sha!) ?? []).map(({ name, state }) => ({ context: name, status: state })),
    })),
    [`POST ${repo}/statuses/{sha}`]: of((repository, { sha }) =>
      repository.setStatus(sha!, String(call.body.context), String(call.body.state)),
    ),
    [`GET ${repo}/collaborators/{login}`]: of((repository, { login }) =>
      repository.members.has(login!) ? { status: 204 } : refuse(404, 'Not Found'),
    ),
  });
};

function create(world: ForgeWorld, repository: ForgeRepository, { body }: ForgeCall): Answer {
  const { title, head, base } = body as Record<string, string>;
  if (repository.tip(base!) === null || repository.tip(head!) === null)
    return refuse(404, 'IsBranchExist: the branch does not exist');
  if (repository.pulls.some((pull) => pull.state === 'open' && pull.head === head && pull.base === base))
    return refuse(409, 'pull request already exists for these targets');
  if (repository.ahead(base!, head!) === 0) return refuse(422, 'The head branch has no commits');
  const draft = /^wip:/i.test(title!);
  const pull = repository.open({
    title: title!,
    body: (body.body as string | undefined) ?? '',
    draft,
    head: head!,
    base: base!,
  });
  world.happened('opened', repository, pull);
  return ok(pullOf(world, repository, pull), 201);
}

function patch(world: ForgeWorld, repository: ForgeRepository, pull: TestPull, { body }: ForgeCall): Answer {
  const { title, body: text, base, state } = body as Record<string, string | undefined>;
  if (title !== undefined) Object.assign(pull, { title, draft: /^wip:/i.test(title) });
  Object.assign(pull, { body: text ?? pull.body, base: base ?? pull.base });
  if (state === 'closed') {
    pull.state = 'closed';
    world.happened('closed', repository, pull);
  }
  return ok(pullOf(world, repository, pull), 201);
}

function merge(world: ForgeWorld, repository: ForgeRepository, pull: TestPull, { body }: ForgeCall): Answer {
  const head = body.head_commit_id as string | undefined;
  if (repository.slowMergeable > 0) {
    repository.slowMergeable -= 1;
    return refuse(405, 'Please try again later');
  }
  const outcome = repository.merge(pull, String(body.Do), head, world.user);
  if (outcome === 'head_moved') return refuse(409, 'head out of date');
  if (outcome === 'draft') return refuse(405, 'Work in progress PRs cannot be merged');
  if (outcome === 'conflict') return refuse(405, 'Merge conflict');
  if (outcome !== 'merged') return refuse(405, 'The PR is closed');
  world.happened('closed', repository, pull);
  return { status: 200 };
}

function pullOf(world: ForgeWorld, repository: ForgeRepository, pull: TestPull): object {
  const repo = { full_name: repository.full_name };
  const isMerged = pull.state === 'merged';
  return {
    id: 5_000 + pull.number,
    number: pull.number,
    html_url: `${world.url}/${repository.full_name}/pulls/${pull.number}`,
    title: pull.title,
    body: pull.body,
    state: pull.state === 'open' ? 'open' : 'closed',
    draft: pull.draft,
    mergeable: pull.state === 'open' && repository.mergeable(pull) === true,
    merged: isMerged,
    merge_commit_sha: pull.merge_commit,
    merged_by: pull.merged_by === null ? null : { login: pull.merged_by },
    head: { ref: pull.head, sha: pull.head_commit, repo },
    base: { ref: pull.base, sha: repository.tip(pull.base), repo },
  };
}

/** Each comment on a line stands in a review of its own. */
const reviewIdOf = ({ id }: TestComment): number => 100_000 + id;

function reviewsOf({ reviews, comments }: TestPull): object[] {
  const lines = comments.filter(({ path }) => path !== null);
  return [
    ...reviews.map(({ id, author, state, body }) => ({
      id,
      user: { login: author },
      state: REVIEWS[state],
      body,
      comments_count: 0,
    })),
    ...lines.map((one) => ({
      id: reviewIdOf(one),
      user: { login: one.author },
      state: 'COMMENT',
      body: '',
      comments_count: 1,
    })),
  ];
}

const lineOf = ({ id, author, body, path, line, resolved, created_at }: TestComment): object => ({
  id,
  body,
  user: { login: author },
  path,
  position: line,
  diff_hunk: `@@ -${line} +${line} @@`,
  resolver: resolved ? { login: 'bob' } : null,
  created_at,
});

const plainOf = ({ id, author, body, created_at }: TestComment): object => ({
  id,
  body,
  user: { login: author },
  created_at,
});
