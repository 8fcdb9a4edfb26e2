import { readFileSync } from 'node:fs';
import path from 'node:path';
import { complete, type Schema } from './complete.js';
import { type Answer, type ForgeCall, type ForgeWorld, ok, refuse, routed, type Words } from './forge-call.js';
import type { ForgeRepository, TestComment, TestPull } from './forge-repository.js';
import { listIssues } from './github-issue-words.js';
import { githubGraph } from './github-graph-words.js';

interface OpenApiCut {
  operations: Record<string, { request?: Schema; responses: Record<string, Schema> }>;
  components: { schemas: Record<string, Schema> };
}
const githubApi = JSON.parse(readFileSync(path.join(import.meta.dirname, 'github-openapi.json'), 'utf8')) as OpenApiCut;
const find = (ref: string): Schema => githubApi.components.schemas[ref.split('/').at(-1)!]!;
const whole = (name: string, given: object): unknown => complete(find(name), find, given);

/** GitHub's REST interface, as an Enterprise server has it. */
export const githubWords: Words = (world, call) => {
  if (call.path === '/graphql') return githubGraph(world, call);
  const of =
    (work: (repository: ForgeRepository, parts: Record<string, string>) => Answer) =>
    (parts: Record<string, string>) => {
      const repository = world.repository(`${parts.owner}/${parts.repo}`);
      return repository ? work(repository, parts) : refuse(404, 'Not Found');
    };
  const one = (work: (repository: ForgeRepository, pull: TestPull) => Answer) =>
    of((repository, { number }) => {
      const pull = repository.find(Number(number));
      return pull ? work(repository, pull) : refuse(404, 'Not Found');
    });
  const repo = '/repos/{owner}/{repo}';
  return routed(call, {
    [`GET ${repo}/pulls`]: of((repository) => list(world, repository, call)),
    [`POST ${repo}/pulls`]: of((repository) => create(world, repository, call)),
    [`GET ${repo}/pulls/{number}`]: one((repository, pull) => ok(wholePull(world, repository, pull))),
    [`PATCH ${repo}/pulls/{number}`]: one((repository, pull) => patch(world, repository, pull, call)),
    [`PUT ${repo}/pulls/{number}/merge`]: one((repository, pull) => merge(world, repository, pull, call)),
    [`GET ${repo}/pulls/{number}/reviews`]: one((_, pull) => ({ status: 200, items: pull.reviews.map(reviewOf) })),
    [`POST ${repo}/pulls/{number}/comments/{id}/replies`]: of((repository, { number, id }) =>
      reply(world, repository, repository.find(Number(number)), Number(id), call),
    ),
    [`GET ${repo}/issues`]: of((repository) => listIssues(world, repository, call)),
    [`GET ${repo}/issues/{number}/comments`]: one((repository, pull) => ({
      status: 200,
      items: pull.comments.filter((one) => one.path === null).map((one) => commentOf(repository, one)),
    })),
    [`POST ${repo}/statuses/{sha}`]: of((repository, { sha }) =>
      repository.setStatus(sha!, String(call.body.context), String(call.body.state)),
    ),
    [`GET ${repo}/commits/{sha}/check-runs`]: of((repository, { sha }) => runs(repository, sha!)),
    [`GET ${repo}/commits/{sha}/status`]: of((repository, { sha }) => statuses(repository, sha!)),
  });
};

function list(world: ForgeWorld, repository: ForgeRepository, { query }: ForgeCall): Answer {
  const [owner, branch] = (query.get('head') ?? '').split(':');
  const found = repository.pulls.filter(
    (pull) =>
      (query.get('state') === 'all' || (pull.state === 'open') === ((query.get('state') ?? 'open') === 'open')) &&
      (branch === undefined || (repository.full_name.startsWith(`${owner}/`) && pull.head === branch)) &&
      (!query.has('base') || pull.base === query.get('base')),
  );
  const items = found.reverse().map((pull) => whole('pull-request-simple', simple(world, repository, pull)));
  return { status: 200, items };
}

function create(world: ForgeWorld, repository: ForgeRepository, { body }: ForgeCall): Answer {
  const { title, head, base, draft } = body as Record<string, string | undefined>;
  const invalid = (...errors: object[]) => refuse(422, 'Validation Failed', { errors });
  const branch = head?.split(':').at(-1) ?? '';
  if (repository.tip(base ?? '') === null) return invalid({ resource: 'PullRequest', field: 'base', code: 'invalid' });
  if (repository.tip(branch) === null) return invalid({ resource: 'PullRequest', field: 'head', code: 'invalid' });
  if (repository.pulls.some((pull) => pull.state === 'open' && pull.head === branch && pull.base === base)) {
    const message = `A pull request already exists for ${repository.full_name.split('/')[0]}:${branch}.`;
    return invalid({ resource: 'PullRequest', code: 'custom', message });
  }
  if (repository.ahead(base!, branch) === 0)
    return invalid({ resource: 'PullRequest', code: 'custom', message: `No commits between ${base} and ${branch}` });
  const text = { title: title ?? '', body: (body.body as string | undefined) ?? '' };
  const pull = repository.open({ ...text, draft: Boolean(draft), head: branch, base: base! });
  world.happened('opened', repository, pull);
  return ok(wholePull(world, repository, pull), 201);
}

function patch(world: ForgeWorld, repository: ForgeRepository, pull: TestPull, { body }: ForgeCall): Answer {
  const { title, body: text, base, state } = body as Record<string, string | undefined>;
  if (base !== undefined && repository.tip(base) === null)
    return refuse(422, 'Validation Failed', { errors: [{ field: 'base', code: 'invalid' }] });
  Object.assign(pull, { title: title ?? pull.title, body: text ?? pull.body, base: base ?? pull.base });
  if (state === 'closed' && pull.state === 'open') {
    pull.state = 'closed';
    world.happened('closed', repository, pull);
  }
  return ok(wholePull(world, repository, pull));
}

function merge(world: ForgeWorld, repository: ForgeRepository, pull: TestPull, { body }: ForgeCall): Answer {
  const outcome = repository.merge(
    pull,
    (body.merge_method as string | undefined) ?? 'merge',
    body.sha as string,
    world.user,
  );
  if (outcome === 'head_moved') return refuse(409, 'Head branch was modified. Review and try the merge again.');
  if (outcome === 'draft') return refuse(405, 'Pull Request is still a draft');
  if (outcome !== 'merged') return refuse(405, 'Pull Request is not mergeable');
  world.happened('closed', repository, pull);
  const result = { sha: pull.merge_commit, merged: true, message: 'Pull Request successfully merged' };
  return ok(whole('pull-request-merge-result', result));
}

function reply(
  world: ForgeWorld,
  repository: ForgeRepository,
  pull: TestPull | undefined,
  id: number,
  { body }: ForgeCall,
): Answer {
  const parent = pull?.comments.find((comment) => comment.id === id && comment.path !== null);
  if (!pull || !parent) return refuse(404, 'Not Found');
  const { thread, path: file, line } = parent;
  const made = repository.comment(pull, { author: world.user, body: String(body.body), thread, path: file, line });
  const given = { id: made.id, body: made.body, path: file, user: user(world.user) };
  return ok(whole('pull-request-review-comment', given), 201);
}

function runs(repository: ForgeRepository, sha: string): Answer {
  const found = (repository.checks.get(sha) ?? []).filter(({ source }) => source === 'run');
  const items = found.map(({ name, state }) =>
    whole('check-run', {
      name,
      head_sha: sha,
      status: state === 'pending' ? 'in_progress' : 'completed',
      conclusion: state === 'pending' ? null : state,
    }),
  );
  return { status: 200, items, wrap: (page) => ({ total_count: items.length, check_runs: page }) };
}

function statuses(repository: ForgeRepository, sha: string): Answer {
  const found = (repository.checks.get(sha) ?? []).filter(({ source }) => source === 'status');
  const items = found.map(({ name, state }) => whole('simple-commit-status', { context: name, state }));
  const wrap = (page: readonly unknown[]) =>
    whole('combined-commit-status', { sha, state: 'pending', total_count: items.length, statuses: page });
  return { status: 200, items, wrap };
}

/** As it stands in lists. */
function simple(world: ForgeWorld, repository: ForgeRepository, pull: TestPull): object {
  const [owner] = repository.full_name.split('/');
  const repo = { full_name: repository.full_name, name: repository.full_name.split('/')[1], owner: user(owner!) };
  const isOpen = pull.state === 'open';
  return {
    number: pull.number,
    html_url: `${world.url}/${repository.full_name}/pull/${pull.number}`,
    state: isOpen ? 'open' : 'closed',
    title: pull.title,
    body: pull.body,
    draft: pull.draft,
    user: user(world.user),
    author_association: 'OWNER',
    created_at: pull.created_at,
    updated_at: pull.updated_at,
    closed_at: isOpen ? null : pull.updated_at,
    merged_at: pull.state === 'merged' ? pull.updated_at : null,
    merge_commit_sha: pull.merge_commit,
    head: { ref: pull.head, sha: pull.head_commit, label: `${owner}:${pull.head}`, repo, user: user(owner!) },
    base: {
      ref: pull.base,
      sha: repository.tip(pull.base) ?? '',
      label: `${owner}:${pull.base}`,
      repo,
      user: user(owner!),
    },
  };
}

function wholePull(world: ForgeWorld, repository: ForgeRepository, pull: TestPull): unknown {
  const mergeable = repository.mergeable(pull);
  const states = mergeable === null ? 'unknown' : pull.draft ? 'draft' : mergeable ? 'clean' : 'dirty';
  return whole('pull-request', {
    ...simple(world, repository, pull),
    merged: pull.state === 'merged',
    mergeable,
    mergeable_state: states,
    merged_by: pull.merged_by === null ? null : user(pull.merged_by),
    comments: pull.comments.length,
  });
}

export const user = (login: string): object => ({ login });

const reviewOf = ({ id, author, state, body }: TestPull['reviews'][number]): unknown =>
  whole('pull-request-review', { id, user: user(author), state, body, commit_id: null });

const associationOf = (repository: ForgeRepository, author: string): string =>
  repository.full_name.startsWith(`${author}/`) ? 'OWNER' : repository.members.has(author) ? 'COLLABORATOR' : 'NONE';

const commentOf = (repository: ForgeRepository, { id, author, body, created_at }: TestComment): unknown =>
  whole('issue-comment', {
    id,
    body,
    user: user(author),
    author_association: associationOf(repository, author),
    created_at,
  });
