import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { toCommentOutput, toPullRequestOutput } from '../deliveries/pull-request.dto.js';
import { type PullRequestRow, toPullRequest } from '../deliveries/pull-request.entity.js';
import { PullRequestCommentsRepository } from '../deliveries/pull-request-comments.repository.js';
import { PullRequestsRepository } from '../deliveries/pull-requests.repository.js';
import { ForgesService } from '../forges/forges.service.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { pageLimit } from '../platform/fields/paging.js';
import { PullRequestRows, type RepoPullRequest } from './pull-request-rows.js';
import { PullRequestSync } from './pull-request-sync.service.js';
import type { CommentsInput, GetPullRequestInput, GetPullRequestOutput, RepoGetOutput } from './pull-request.dto.js';

type Include = NonNullable<GetPullRequestInput['include']>[number];

/** State, checks and reviews of the pull requests of an attempt. */
@Injectable()
export class ViewPullRequestService {
  constructor(
    private readonly database: Database,
    private readonly forges: ForgesService,
    private readonly attemptRows: AttemptsRepository,
    private readonly rows: PullRequestRows,
    private readonly sync: PullRequestSync,
    private readonly pullRequestRows: PullRequestsRepository,
    private readonly commentRows: PullRequestCommentsRepository,
  ) {}

  /** Read anew; if the forge does not answer, its last data, with the reason in sync_error.
   *  @throws AppError attempt_not_found, repo_not_found, pull_request_not_found */
  async get(input: GetPullRequestInput, principal: Principal): Promise<GetPullRequestOutput> {
    const { attempt_id, repo_id, include = ['checks', 'reviews', 'comments'] } = input;
    await this.attemptRows.get(principal, attempt_id);
    const found = await this.rows.all(attempt_id, repo_id);
    const isFirstPage = input.cursor === undefined;
    const seen = await Promise.all(
      found.map(async ({ repo, row }) => ({ repo, row: isFirstPage ? await this.sync.refresh(row) : row })),
    );
    const comments = include.includes('comments')
      ? await this.comments(seen, input, isFirstPage)
      : { ...NO_COMMENTS, limit: pageLimit(input.limit) };
    const latest = await this.pullRequestRows.listLatest(attempt_id);
    const repos = seen.map(({ repo, row }) =>
      toOutput({ repo, row: latest.find(({ id }) => id === row.id) ?? row }, include),
    );
    const { delivery_state } = await this.attemptRows.get(principal, attempt_id);
    return { attempt_id, state: delivery_state ?? 'none', repos, ...comments };
  }

  private async comments(
    seen: readonly RepoPullRequest[],
    { only_unresolved = false, limit, cursor }: CommentsInput,
    isFirstPage: boolean,
  ) {
    if (isFirstPage) for (const { row } of seen) await this.readComments(row);
    const ids = seen.map(({ row }) => row.id);
    const page = { only_unresolved, limit: pageLimit(limit), cursor };
    const { rows, ...pageOutput } = await this.commentRows.list(ids, page);
    const repoOf = new Map(seen.map(({ repo, row }) => [row.id, repo.repo_id]));
    return { ...pageOutput, comments: rows.map((row) => toCommentOutput(row, repoOf.get(row.pull_request_id)!)) };
  }

  /** While the forge does not answer, the stored ones are shown. */
  private async readComments(row: PullRequestRow): Promise<void> {
    try {
      const comments = await this.forges.get(row.forge_host).comments(row.forge_repository, toPullRequest(row));
      await this.database.transaction((tx) => this.commentRows.replace(tx, row.id, comments));
    } catch (error) {
      const refused = toAppError(error);
      if (refused === null) throw error;
      await this.database.transaction((tx) => this.pullRequestRows.update(tx, row.id, { sync_error: refused.message }));
    }
  }
}

const NO_COMMENTS = { comments: [], count: 0, has_more: false, next_cursor: null };

const toOutput = ({ repo, row }: RepoPullRequest, include: readonly Include[]): RepoGetOutput => ({
  repo_id: repo.repo_id,
  repo_name: repo.repo_name,
  pull_request: toPullRequestOutput(row),
  checks: include.includes('checks') ? row.check_list : [],
  checks_complete: row.checks_complete,
  reviews: include.includes('reviews') ? row.review_list : [],
});
