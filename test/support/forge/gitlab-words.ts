import { type Answer, type ForgeCall, type ForgeWorld, ok, refuse, routed, type Words } from './forge-call.js';
import type { ForgeRepository, TestCheck, TestComment, TestPull } from './forge-repository.js';

const STATUS: Record<TestCheck['state'], string> = { success: 'success', failure: 'failed', pending: 'running' };
const PROJECT = 7;

/** GitLab's REST interface. */
export const gitlabWords: Words = (world, call) => {
  const of =
    (work: (repository: ForgeRepository, parts: Record<string, string>) => Answer) =>
    (parts: Record<string, string>) => {
      const repository = world.repository(decodeURIComponent(parts.project!));
      return repository ? work(repository, parts) : refuse(404, '404 Project Not Found');
    };
  const one = (work: (repository: ForgeRepository, pull: TestPull, parts: Record<string, string>) => Answer) =>
    of((repository, parts) => {
      const pull = repository.find(Number(parts.iid));
      return pull ? work(repository, pull, parts) : refuse(404, '404 Not found');
    });
  const requests = '/projects/{project}/merge_requests';
  return routed(call, {
    [`GET ${requests}`]: of((repository) => list(world, repository, call)),
    [`POST ${requests}`]: of((repository) => create(world, repository, call)),
    [`GET ${requests}/{iid}`]: one((repository, pull) => ok(request(world, repository, pull))),
    [`PUT ${requests}/{iid}`]: one((repository, pull) => update(world, repository, pull, call)),
    [`PUT ${requests}/{iid}/merge`]: one((repository, pull) => merge(world, repository, pull, call)),
    [`GET ${requests}/{iid}/approvals`]: one((_, pull) => ok({ approved_by: reviewers(pull, 'APPROVED') })),
    [`GET ${requests}/{iid}/reviewers`]: one((_, pull) =>
      ok(reviewers(pull, 'CHANGES_REQUESTED').map((entry) => ({ ...entry, state: 'requested_changes' }))),
    ),
    [`GET ${requests}/{iid}/pipelines`]: one((repository, { head_commit }) => pipelines(repository, head_commit)),
    [`GET ${requests}/{iid}/discussions`]: one((_, pull) => ({ status: 200, items: discussions(pull) })),
    [`POST ${requests}/{iid}/discussions/{thread}/notes`]: one((repository, pull, { thread }) => {
      const first = pull.comments.find((comment) => comment.thread === thread);
      if (!first) return refuse(404, '404 Discussion Not Found');
      const { path, line } = first;
      return ok(
        noteOf(repository.comment(pull, { author: world.user, body: String(call.body.body), thread, path, line })),
        201,
      );
    }),
    [`PUT ${requests}/{iid}/discussions/{thread}`]: one((_, pull, { thread }) => {
      pull.comments.filter((comment) => comment.thread === thread).forEach((comment) => (comment.resolved = true));
      return ok({ id: thread });
    }),
    'GET /projects/{project}/repository/commits/{sha}/statuses': of((repository, { sha }) => ({
      status: 200,
      items: (repository.checks.get(sha!) ?? [])
        .filter(({ source }) => source === 'status')
        .map(({ name, state }) => ({ name, sha, status: STATUS[state], allow_failure: false, target_url: null })),
    })),
    'POST /projects/{project}/statuses/{sha}': of((repository, { sha }) =>
      repository.setStatus(sha!, String(call.body.name), String(call.body.state)),
    ),
    'GET /projects/{project}/members/all/{id}': of((repository, { id }) => member(repository, Number(id))),
    'POST /projects/{project}/merge_trains/merge_requests/{iid}': one((repository, pull) => {
      if (!repository.hasQueue) return refuse(403, '403 Forbidden');
      if (call.body.sha !== pull.head_commit) return refuse(409, 'SHA does not match HEAD of source branch');
      pull.queued = true;
      return ok([], 201);
    }),
    'GET /projects/{project}/merge_trains/merge_requests/{iid}': one((_, pull) =>
      pull.queued ? ok({ status: 'fresh' }) : refuse(404, '404 Not found'),
    ),
  });
};

function list(world: ForgeWorld, repository: ForgeRepository, { query }: ForgeCall): Answer {
  const found = repository.pulls.filter(
    (pull) =>
      (query.get('state') !== 'opened' || pull.state === 'open') &&
      (!query.has('source_branch') || pull.head === query.get('source_branch')) &&
      (!query.has('target_branch') || pull.base === query.get('target_branch')),
  );
  return { status: 200, items: found.reverse().map((pull) => request(world, repository, pull)) };
}

/** One open merge request a source branch. Nothing to deliver is no reason to refuse. */
function create(world: ForgeWorld, repository: ForgeRepository, { body }: ForgeCall): Answer {
  const { title, description, source_branch, target_branch } = body as Record<string, string>;
  const twin = repository.pulls.find((pull) => pull.state === 'open' && pull.head === source_branch);
  if (twin)
    return {
      status: 409,
      body: { message: [`Another open merge request already exists for this source branch: !${twin.number}`] },
    };
  if (repository.tip(target_branch!) === null || repository.tip(source_branch!) === null)
    return { status: 422, body: { message: ['Target branch does not exist'] } };
  const draft = /^draft:/i.test(title!);
  const text = { title: title!, body: description ?? '', draft };
  const pull = repository.open({ ...text, head: source_branch!, base: target_branch! });
  world.happened('open', repository, pull);
  return ok(request(world, repository, pull), 201);
}

function update(world: ForgeWorld, repository: ForgeRepository, pull: TestPull, { body }: ForgeCall): Answer {
  const { title, description, target_branch, state_event } = body as Record<string, string | undefined>;
  if (title !== undefined) Object.assign(pull, { title, draft: /^draft:/i.test(title) });
  Object.assign(pull, { body: description ?? pull.body, base: target_branch ?? pull.base });
  if (state_event === 'close') {
    pull.state = 'closed';
    world.happened('close', repository, pull);
  }
  return ok(request(world, repository, pull));
}

function merge(world: ForgeWorld, repository: ForgeRepository, pull: TestPull, { body }: ForgeCall): Answer {
  const method = body.squash === true ? 'squash' : 'merge';
  const outcome = repository.merge(pull, method, body.sha as string | undefined, world.user);
  if (outcome === 'head_moved') return refuse(409, 'SHA does not match HEAD of source branch');
  if (outcome !== 'merged') return refuse(405, '405 Method Not Allowed');
  world.happened('merge', repository, pull);
  return ok(request(world, repository, pull));
}

function request(world: ForgeWorld, repository: ForgeRepository, pull: TestPull): object {
  const mergeable = repository.mergeable(pull);
  return {
    iid: pull.number,
    id: 9_000 + pull.number,
    web_url: `${world.url}/${repository.full_name}/-/merge_requests/${pull.number}`,
    title: pull.title,
    description: pull.body,
    state: pull.state === 'open' ? 'opened' : pull.state,
    draft: pull.draft,
    source_branch: pull.head,
    target_branch: pull.base,
    source_project_id: PROJECT,
    target_project_id: PROJECT,
    sha: pull.head_commit,
    has_conflicts: mergeable === false,
    detailed_merge_status:
      mergeable === null ? 'checking' : pull.draft ? 'draft_status' : mergeable ? 'mergeable' : 'conflict',
    merge_commit_sha: pull.merge_commit,
    squash_commit_sha: null,
    merge_user: pull.merged_by === null ? null : { username: pull.merged_by },
  };
}

const reviewers = (pull: TestPull, state: string): { user: object }[] =>
  pull.reviews.filter((review) => review.state === state).map(({ author }) => ({ user: { username: author } }));

function pipelines(repository: ForgeRepository, sha: string): Answer {
  const found = (repository.checks.get(sha) ?? []).filter(({ source }) => source === 'run');
  const [worst] = found.sort((a, b) => (a.state === 'success' ? 1 : 0) - (b.state === 'success' ? 1 : 0));
  return ok(worst ? [{ id: 1, sha, status: STATUS[worst.state], web_url: 'https://forge.example/pipelines/1' }] : []);
}

const idOf = (author: string): number =>
  [...author].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 99991;

/** Only those with their own membership are known here. */
function member(repository: ForgeRepository, id: number): Answer {
  const names = [...repository.members, repository.full_name.split('/')[0]!];
  const name = names.find((one) => idOf(one) === id);
  return name === undefined ? refuse(404, '404 Not found') : ok({ id, username: name, access_level: 30 });
}

function discussions({ comments }: TestPull): unknown[] {
  const threads = [...new Set(comments.map(({ thread }) => thread))];
  const system = {
    id: 1,
    system: true,
    body: 'requested review',
    author: { id: 1, username: 'bot' },
    resolvable: false,
  };
  return [
    { id: 'system', notes: [system] },
    ...threads.map((thread) => ({ id: thread, notes: comments.filter((one) => one.thread === thread).map(noteOf) })),
  ];
}

const noteOf = ({ id, author, body, path, line, resolved, created_at, commit }: TestComment): object => ({
  id,
  body,
  system: false,
  author: { id: idOf(author), username: author },
  resolvable: path !== null,
  resolved,
  created_at,
  ...(path === null ? {} : { position: { new_path: path, old_path: path, new_line: line, head_sha: commit } }),
});
