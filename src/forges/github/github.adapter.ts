import { setCommitStatus } from '../commit-status.js';
import { reposPath } from '../forge-address.js';
import { type ForgeClient, saidBy } from '../forge-client.js';
import { checkedPullRequest, commitOrNull, type Json, listOf, objectOf, textOf, textOrNull } from '../forge-json.js';
import {
  type CheckReport,
  type CommitStatus,
  type Creation,
  type DescribedPullRequest,
  type Forge,
  isOwnHead,
  type Mergeability,
  type MergeOutcome,
  type MergeRequest,
  type NewPullRequest,
  type PullRequest,
  type PullRequestChange,
  type PullRequestComment,
  type Review,
  type ReviewReport,
  reviewReport,
} from '../forge.js';
import { githubChecks } from './github-checks.js';
import { githubComments, GithubGraph, resolveGithubThread } from './github-graph.js';

const MERGEABILITY: Readonly<Record<string, Mergeability>> = {
  clean: 'clean',
  unstable: 'clean',
  has_hooks: 'clean',
  dirty: 'conflicting',
  blocked: 'blocked',
  draft: 'blocked',
  behind: 'behind',
};
const REVIEWS: Readonly<Record<string, Review['state']>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  COMMENTED: 'commented',
};

/** GitHub and GitHub Enterprise. */
export class GithubForge implements Forge {
  readonly kind = 'github';
  readonly capabilities = {
    merge_methods: ['squash', 'merge', 'rebase'],
    has_queue: true,
    resolves_comments: true,
  } as const;
  private readonly graph: GithubGraph;

  constructor(private readonly client: ForgeClient) {
    this.graph = new GithubGraph(client);
  }

  get host(): string {
    return this.client.host;
  }

  async find(
    repository: string,
    { head_branch, base_branch }: Pick<NewPullRequest, 'head_branch' | 'base_branch'>,
  ): Promise<PullRequest[]> {
    const [owner] = repository.split('/');
    // without its owner the head would be ignored
    const query = new URLSearchParams({ state: 'open', head: `${owner}:${head_branch}`, base: base_branch });
    const found = await this.client.all(`${reposPath(repository)}/pulls?${query.toString()}&per_page=100`);
    return listOf(found)
      .map((one) => this.toPullRequest(one))
      .filter(
        (one) => one.head_branch === head_branch && one.base_branch === base_branch && isOwnHead(one, repository),
      );
  }

  async create(repository: string, { head_branch, base_branch, ...request }: NewPullRequest): Promise<Creation> {
    const body = { ...request, head: head_branch, base: base_branch };
    const path = `${reposPath(repository)}/pulls`;
    const answer = await this.client.send(path, { method: 'POST', body, accept: [422] });
    if (answer.status !== 422) return { outcome: 'created', pull_request: this.toPullRequest(objectOf(answer.body)) };
    const said = saidBy(answer.body);
    const fields = listOf(objectOf(answer.body).errors).map(({ field }) => field);
    if (/already exists/i.test(said)) return { outcome: 'exists' };
    if (/no commits between/i.test(said)) return { outcome: 'nothing_to_deliver' };
    if (fields.includes('base')) return { outcome: 'no_base' };
    throw this.client.failed(`it refuses the pull request: ${said}`);
  }

  async read(repository: string, number: number, wasQueued: boolean): Promise<DescribedPullRequest> {
    const { body } = await this.client.send(`${reposPath(repository)}/pulls/${number}`);
    const read = this.toPullRequest(objectOf(body));
    if (!wasQueued || read.state !== 'open') return read;
    return (await this.graph.isQueued(repository, number)) ? { ...read, state: 'queued' } : read;
  }

  async update(
    repository: string,
    number: number,
    { draft, base_branch, ...text }: PullRequestChange,
  ): Promise<PullRequest> {
    const body = { ...text, ...(base_branch === undefined ? {} : { base: base_branch }) };
    const path = `${reposPath(repository)}/pulls/${number}`;
    const answer = await this.client.send(path, { method: 'PATCH', body });
    const read = this.toPullRequest(objectOf(answer.body));
    if (draft === undefined || draft === read.draft) return read;
    await this.graph.setDraft(repository, number, draft);
    return { ...read, draft };
  }

  checks(repository: string, { head_commit }: PullRequest): Promise<CheckReport> {
    return githubChecks(this.client, reposPath(repository), head_commit);
  }

  async reviews(repository: string, { number }: PullRequest): Promise<ReviewReport> {
    const found = listOf(await this.client.all(`${reposPath(repository)}/pulls/${number}/reviews?per_page=100`));
    return reviewReport(
      found.flatMap((one): Review[] => {
        const state = REVIEWS[textOf(one.state)];
        const author = textOf(objectOf(one.user).login, 100);
        return state === undefined ? [] : [{ author, state, body: textOf(one.body) }];
      }),
    );
  }

  comments(repository: string, { number }: PullRequest): Promise<PullRequestComment[]> {
    return githubComments(this.client, this.graph, repository, number);
  }

  resolve(
    repository: string,
    number: number,
    thread: { thread_id: string; forge_id: string; reply: string | null },
  ): Promise<void> {
    return resolveGithubThread(this.client, this.graph, `${reposPath(repository)}/pulls/${number}`, thread);
  }

  async merge(
    repository: string,
    number: number,
    { method, expected_head, queue }: MergeRequest,
  ): Promise<MergeOutcome> {
    if (queue) return this.graph.enqueue(repository, number, expected_head);
    const answer = await this.client.send(`${reposPath(repository)}/pulls/${number}/merge`, {
      method: 'PUT',
      body: { merge_method: method, sha: expected_head },
      accept: [405, 409, 422],
    });
    if (answer.status === 409) return { outcome: 'head_moved' };
    if (answer.status >= 400) return { outcome: 'refused', reason: saidBy(answer.body) };
    // 202: a queue took it, which merges later
    return { outcome: objectOf(answer.body).merged === true ? 'merged' : 'queued' };
  }

  async close(repository: string, number: number): Promise<void> {
    const path = `${reposPath(repository)}/pulls/${number}`;
    await this.client.send(path, { method: 'PATCH', body: { state: 'closed' } });
  }

  setStatus(repository: string, commit: string, status: CommitStatus): Promise<void> {
    return setCommitStatus(this.client, `${reposPath(repository)}/statuses/${commit}`, status);
  }

  private toPullRequest(one: Json): DescribedPullRequest {
    const [head, base] = [objectOf(one.head), objectOf(one.base)];
    const isMerged = one.merged === true || textOf(one.merged_at) !== '';
    return checkedPullRequest(this.host, {
      number: one.number,
      url: one.html_url,
      title: textOf(one.title, 500),
      body: textOf(one.body),
      state: isMerged ? 'merged' : one.state === 'open' ? 'open' : 'closed',
      draft: one.draft === true,
      head_branch: textOf(head.ref, 500),
      head_commit: head.sha,
      head_repository: textOrNull(objectOf(head.repo).full_name, 500),
      base_branch: textOf(base.ref, 500),
      mergeability: MERGEABILITY[textOf(one.mergeable_state)] ?? 'unknown',
      merge_commit: isMerged ? commitOrNull(one.merge_commit_sha) : null,
      merged_by: isMerged ? textOrNull(objectOf(one.merged_by).login, 100) : null,
    });
  }
}
