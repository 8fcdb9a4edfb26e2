import { type ForgeClient, saidBy } from '../forge-client.js';
import { checkedPullRequest, commitOrNull, type Json, listOf, objectOf, textOf, textOrNull } from '../forge-json.js';
import {
  type CheckReport,
  type CommitStatus,
  type Creation,
  type DescribedPullRequest,
  type Forge,
  type Mergeability,
  type MergeOutcome,
  type MergeRequest,
  type NewPullRequest,
  type PullRequest,
  type PullRequestChange,
  type PullRequestComment,
  type ReviewReport,
} from '../forge.js';
import { gitlabChecks, gitlabComments, gitlabReviews, resolveGitlabThread } from './gitlab-reports.js';

const DRAFT = /^\s*(\[draft\]|draft:|\(draft\))\s*/i;
const MERGEABILITY: Readonly<Record<string, Mergeability>> = {
  mergeable: 'clean',
  conflict: 'conflicting',
  broken_status: 'conflicting',
  need_rebase: 'behind',
  unchecked: 'unknown',
  checking: 'unknown',
  preparing: 'unknown',
  approvals_syncing: 'unknown',
};
const STATES: Readonly<Record<string, PullRequest['state']>> = { opened: 'open', locked: 'open', merged: 'merged' };

/** GitLab, of gitlab.com or one's own. Its merge requests are pull requests here. */
export class GitlabForge implements Forge {
  readonly kind = 'gitlab';
  /** Other merge methods are a setting of the GitLab project. */
  readonly capabilities = { merge_methods: ['squash', 'merge'], has_queue: true, resolves_comments: true } as const;

  constructor(private readonly client: ForgeClient) {}

  get host(): string {
    return this.client.host;
  }

  async find(
    repository: string,
    { head_branch, base_branch }: Pick<NewPullRequest, 'head_branch' | 'base_branch'>,
  ): Promise<PullRequest[]> {
    const query = new URLSearchParams({ state: 'opened', source_branch: head_branch, target_branch: base_branch });
    const found = listOf(await this.client.all(`${at(repository)}/merge_requests?${query.toString()}&per_page=100`));
    return found
      .filter((one) => one.source_project_id === one.target_project_id)
      .map((one) => this.toPullRequest(one))
      .filter((one) => one.head_branch === head_branch && one.base_branch === base_branch);
  }

  async create(
    repository: string,
    { title, body, draft, head_branch, base_branch }: NewPullRequest,
  ): Promise<Creation> {
    const request = { title: titled(title, draft), description: body };
    const answer = await this.client.send(`${at(repository)}/merge_requests`, {
      method: 'POST',
      body: { ...request, source_branch: head_branch, target_branch: base_branch, remove_source_branch: false },
      accept: [409, 422],
    });
    if (answer.status === 409) return { outcome: 'exists' };
    if (answer.status === 422) return { outcome: 'no_base' };
    return { outcome: 'created', pull_request: this.toPullRequest(objectOf(answer.body)) };
  }

  async read(repository: string, number: number, wasQueued: boolean): Promise<DescribedPullRequest> {
    const { body } = await this.client.send(`${at(repository)}/merge_requests/${number}`);
    const read = this.toPullRequest(objectOf(body));
    if (!wasQueued || read.state !== 'open') return read;
    const path = `${at(repository)}/merge_trains/merge_requests/${number}`;
    const train = await this.client.send(path, { accept: [404] });
    return train.status === 404 ? read : { ...read, state: 'queued' };
  }

  async update(
    repository: string,
    number: number,
    { title, body, draft, base_branch }: PullRequestChange,
  ): Promise<PullRequest> {
    const now = draft === undefined && title === undefined ? null : await this.read(repository, number, false);
    const answer = await this.client.send(`${at(repository)}/merge_requests/${number}`, {
      method: 'PUT',
      body: {
        ...(now === null ? {} : { title: titled(title ?? now.title, draft ?? now.draft) }),
        ...(body === undefined ? {} : { description: body }),
        ...(base_branch === undefined ? {} : { target_branch: base_branch }),
      },
    });
    return this.toPullRequest(objectOf(answer.body));
  }

  checks(repository: string, pullRequest: PullRequest): Promise<CheckReport> {
    return gitlabChecks(this.client, at(repository), pullRequest);
  }

  reviews(repository: string, { number }: PullRequest): Promise<ReviewReport> {
    return gitlabReviews(this.client, `${at(repository)}/merge_requests/${number}`);
  }

  comments(repository: string, pullRequest: PullRequest): Promise<PullRequestComment[]> {
    return gitlabComments(this.client, at(repository), pullRequest);
  }

  resolve(
    repository: string,
    number: number,
    { thread_id, reply }: { thread_id: string; forge_id: string; reply: string | null },
  ): Promise<void> {
    return resolveGitlabThread(this.client, `${at(repository)}/merge_requests/${number}`, thread_id, reply);
  }

  async merge(
    repository: string,
    number: number,
    { method, expected_head, queue }: MergeRequest,
  ): Promise<MergeOutcome> {
    if (queue) return this.enqueue(repository, number, expected_head);
    const answer = await this.client.send(`${at(repository)}/merge_requests/${number}/merge`, {
      method: 'PUT',
      body: { sha: expected_head, squash: method === 'squash', should_remove_source_branch: false },
      accept: [405, 406, 409, 422],
    });
    if (answer.status === 409) return { outcome: 'head_moved' };
    if (answer.status >= 400) return { outcome: 'refused', reason: saidBy(answer.body) || `HTTP ${answer.status}` };
    return { outcome: objectOf(answer.body).state === 'merged' ? 'merged' : 'queued' };
  }

  async close(repository: string, number: number): Promise<void> {
    const path = `${at(repository)}/merge_requests/${number}`;
    await this.client.send(path, { method: 'PUT', body: { state_event: 'close' } });
  }

  /** Merge trains are a matter of the project and of the licence. */
  private async enqueue(repository: string, number: number, sha: string): Promise<MergeOutcome> {
    const path = `${at(repository)}/merge_trains/merge_requests/${number}`;
    const answer = await this.client.send(path, {
      method: 'POST',
      body: { sha },
      accept: [400, 403, 404, 405, 409],
    });
    if (answer.status === 409) return { outcome: 'head_moved' };
    if ([403, 404, 405].includes(answer.status)) return { outcome: 'no_queue' };
    return answer.status === 400 ? { outcome: 'refused', reason: saidBy(answer.body) } : { outcome: 'queued' };
  }

  /** A state that it has already is refused with 400. */
  async setStatus(repository: string, commit: string, { context, state, description }: CommitStatus): Promise<void> {
    await this.client.send(`${at(repository)}/statuses/${commit}`, {
      method: 'POST',
      body: { name: context, state: STATUSES[state], description },
      accept: [400, 404],
    });
  }

  private toPullRequest(one: Json): DescribedPullRequest {
    const state = STATES[textOf(one.state)] ?? 'closed';
    const isMerged = state === 'merged';
    const title = textOf(one.title, 500);
    return checkedPullRequest(this.host, {
      number: one.iid,
      url: one.web_url,
      title: title.replace(DRAFT, ''),
      body: textOf(one.description),
      state,
      draft: one.draft === true || DRAFT.test(title),
      head_branch: textOf(one.source_branch, 500),
      head_commit: one.sha,
      head_repository: null,
      base_branch: textOf(one.target_branch, 500),
      mergeability:
        one.has_conflicts === true
          ? 'conflicting'
          : (MERGEABILITY[textOf(one.detailed_merge_status) || 'unchecked'] ?? 'blocked'),
      merge_commit: isMerged ? mergeCommitOf(one) : null,
      merged_by: isMerged ? textOrNull(objectOf(one.merge_user ?? one.merged_by).username, 100) : null,
    });
  }
}

/** After a fast-forward the head itself is on the target. */
const mergeCommitOf = ({ merge_commit_sha, squash_commit_sha, sha }: Json): string | null =>
  commitOrNull(merge_commit_sha) ?? commitOrNull(squash_commit_sha) ?? commitOrNull(sha);

const STATUSES = { pending: 'pending', passed: 'success', failed: 'failed', errored: 'failed' } as const;

const titled = (title: string, draft: boolean): string => `${draft ? 'Draft: ' : ''}${title.replace(DRAFT, '')}`;

const at = (repository: string): string => `/projects/${encodeURIComponent(repository)}`;
