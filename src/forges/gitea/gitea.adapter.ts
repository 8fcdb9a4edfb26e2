import { setCommitStatus } from '../commit-status.js';
import { reposPath } from '../forge-address.js';
import { type ForgeClient, saidBy } from '../forge-client.js';
import {
  checkedPullRequest,
  commitOrNull,
  type Json,
  linkOrNull,
  listOf,
  objectOf,
  textOf,
  textOrNull,
} from '../forge-json.js';
import {
  type CheckReport,
  type CommitStatus,
  type Creation,
  type DescribedPullRequest,
  type Forge,
  isOwnHead,
  type MergeOutcome,
  type MergeRequest,
  type NewPullRequest,
  type PullRequest,
  type PullRequestChange,
  type PullRequestComment,
  type ReviewReport,
  checkReport,
  type Check,
} from '../forge.js';
import { giteaComments, giteaReviews } from './gitea-reviews.js';

const DRAFT = /^\s*(WIP:|\[WIP\])\s*/i;
const STATES: Readonly<Record<string, Check['state']>> = {
  success: 'passing',
  warning: 'passing',
  skipped: 'passing',
  failure: 'failing',
  error: 'failing',
  pending: 'pending',
};
/** Gitea answers 405 for a moment after a push, and says so. */
const LATER = /try again later/i;

/** Gitea and Forgejo. */
export class GiteaForge implements Forge {
  readonly kind = 'gitea';
  readonly capabilities = {
    merge_methods: ['squash', 'merge', 'rebase'],
    has_queue: false,
    resolves_comments: false,
  } as const;

  constructor(private readonly client: ForgeClient) {}

  get host(): string {
    return this.client.host;
  }

  async find(
    repository: string,
    { head_branch, base_branch }: Pick<NewPullRequest, 'head_branch' | 'base_branch'>,
  ): Promise<PullRequest[]> {
    const found = listOf(await this.client.all(`${reposPath(repository)}/pulls?state=open&sort=recentupdate&limit=50`));
    return found
      .map((one) => this.toPullRequest(one))
      .filter((one) => one.head_branch === head_branch && one.base_branch === base_branch && isOwnHead(one, repository))
      .sort((a, b) => b.number - a.number);
  }

  async create(
    repository: string,
    { title, body, draft, head_branch, base_branch }: NewPullRequest,
  ): Promise<Creation> {
    const answer = await this.client.send(`${reposPath(repository)}/pulls`, {
      method: 'POST',
      body: { title: titled(title, draft), body, head: head_branch, base: base_branch },
      accept: [404, 409, 422],
    });
    if (answer.status === 409) return { outcome: 'exists' };
    if (answer.status === 404) return { outcome: 'no_base' };
    if (answer.status === 422) return { outcome: 'nothing_to_deliver' };
    return { outcome: 'created', pull_request: this.toPullRequest(objectOf(answer.body)) };
  }

  async read(repository: string, number: number): Promise<DescribedPullRequest> {
    const { body } = await this.client.send(`${reposPath(repository)}/pulls/${number}`);
    return this.toPullRequest(objectOf(body));
  }

  async update(
    repository: string,
    number: number,
    { title, body, draft, base_branch }: PullRequestChange,
  ): Promise<PullRequest> {
    const now = draft === undefined && title === undefined ? null : await this.read(repository, number);
    const answer = await this.client.send(`${reposPath(repository)}/pulls/${number}`, {
      method: 'PATCH',
      body: {
        ...(now === null ? {} : { title: titled(title ?? now.title, draft ?? now.draft) }),
        ...(body === undefined ? {} : { body }),
        ...(base_branch === undefined ? {} : { base: base_branch }),
      },
    });
    return this.toPullRequest(objectOf(answer.body));
  }

  async checks(repository: string, { head_commit }: PullRequest): Promise<CheckReport> {
    const path = `${reposPath(repository)}/commits/${head_commit}/statuses?sort=recentupdate&limit=50`;
    const newest = new Map<string, Check>();
    for (const one of listOf(await this.client.all(path))) {
      const name = textOf(one.context, 200);
      const state = STATES[textOf(one.status)] ?? 'unknown';
      if (!newest.has(name)) newest.set(name, { name, state, url: linkOrNull(one.target_url) });
    }
    return checkReport([...newest.values()], true);
  }

  reviews(repository: string, { number }: PullRequest): Promise<ReviewReport> {
    return giteaReviews(this.client, `${reposPath(repository)}/pulls/${number}`);
  }

  comments(repository: string, { number }: PullRequest): Promise<PullRequestComment[]> {
    return giteaComments(this.client, repository, reposPath(repository), number);
  }

  /** Its API has no such call. @throws AppError forge_failed */
  resolve(): Promise<void> {
    return Promise.reject(this.client.failed('it cannot resolve comments'));
  }

  async merge(
    repository: string,
    number: number,
    { method, expected_head, queue }: MergeRequest,
  ): Promise<MergeOutcome> {
    if (queue) return { outcome: 'no_queue' };
    const answer = await this.client.send(`${reposPath(repository)}/pulls/${number}/merge`, {
      method: 'POST',
      body: { Do: method, head_commit_id: expected_head },
      accept: [405, 409, 422],
    });
    const said = saidBy(answer.body);
    if (answer.status === 409 && /head|out of date/i.test(said)) return { outcome: 'head_moved' };
    if (answer.status === 405)
      return { outcome: 'refused', reason: LATER.test(said) ? 'the forge still looks at it, try again' : said };
    return answer.status >= 400 ? { outcome: 'refused', reason: said } : { outcome: 'merged' };
  }

  async close(repository: string, number: number): Promise<void> {
    await this.client.send(`${reposPath(repository)}/pulls/${number}`, { method: 'PATCH', body: { state: 'closed' } });
  }

  setStatus(repository: string, commit: string, status: CommitStatus): Promise<void> {
    return setCommitStatus(this.client, `${reposPath(repository)}/statuses/${commit}`, status);
  }

  private toPullRequest(one: Json): DescribedPullRequest {
    const [head, base] = [objectOf(one.head), objectOf(one.base)];
    const isMerged = one.merged === true;
    const title = textOf(one.title, 500);
    return checkedPullRequest(this.host, {
      number: one.number,
      url: one.html_url,
      title: title.replace(DRAFT, ''),
      body: textOf(one.body),
      state: isMerged ? 'merged' : one.state === 'open' ? 'open' : 'closed',
      draft: one.draft === true || DRAFT.test(title),
      head_branch: textOf(head.ref, 500),
      head_commit: head.sha,
      head_repository: textOrNull(objectOf(head.repo).full_name, 500),
      base_branch: textOf(base.ref, 500),
      mergeability: one.mergeable === true ? 'clean' : one.mergeable === false ? 'conflicting' : 'unknown',
      merge_commit: isMerged ? commitOrNull(one.merge_commit_sha) : null,
      merged_by: isMerged ? textOrNull(objectOf(one.merged_by).login, 100) : null,
    });
  }
}

const titled = (title: string, draft: boolean): string => `${draft ? 'WIP: ' : ''}${title.replace(DRAFT, '')}`;
