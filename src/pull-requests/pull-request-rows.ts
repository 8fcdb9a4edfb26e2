import { Injectable } from '@nestjs/common';
import type { AttemptRepo } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { chosenRepos } from '../deliveries/deliveries.service.js';
import type { PullRequestRow } from '../deliveries/pull-request.entity.js';
import { PullRequestsRepository } from '../deliveries/pull-requests.repository.js';
import { ForgesService } from '../forges/forges.service.js';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import { PullRequestSync } from './pull-request-sync.service.js';

export interface RepoPullRequest {
  repo: AttemptRepo;
  row: PullRequestRow;
}

/** The pull requests of an attempt, the newest of each repository. Callers have resolved it for their principal. */
@Injectable()
export class PullRequestRows {
  constructor(
    private readonly forges: ForgesService,
    private readonly attemptRows: AttemptsRepository,
    private readonly pullRequestRows: PullRequestsRepository,
    private readonly sync: PullRequestSync,
  ) {}

  /** @throws AppError repo_not_found; pull_request_not_found where there is none, forge_unconfigured where there can be
   *  none */
  async all(attempt_id: string, repo_id: string | undefined): Promise<RepoPullRequest[]> {
    const repos = chosenRepos(
      await this.attemptRows.listRepos(attempt_id),
      repo_id === undefined ? undefined : [repo_id],
    );
    const rows = await this.pullRequestRows.listLatest(attempt_id);
    const found = repos.flatMap((repo) => {
      const row = rows.find((one) => one.repo_id === repo.repo_id);
      return row ? [{ repo, row }] : [];
    });
    if (found.length > 0) return found;
    this.forges.requireAny();
    throw new AppError('pull_request_not_found', { reason: 'none was opened for this attempt' });
  }

  /** The only one, or the only one that fits. @throws AppError repo_not_found, pull_request_not_found,
   *  invalid_argument where several repositories have one */
  async one(
    attempt_id: string,
    repo_id: string | undefined,
    fits: (row: PullRequestRow) => boolean,
  ): Promise<RepoPullRequest> {
    const all = await this.all(attempt_id, repo_id);
    const fitting = all.filter(({ row }) => fits(row));
    const [first, ...others] = fitting.length > 0 ? fitting : all;
    if (others.length > 0)
      throw refusal([{ field: 'repo_id', message: 'repo_id is required: several repositories have a pull request' }]);
    return first!;
  }

  /** As the forge has it now. @throws AppError forge_failed, forge_rate_limited, forge_auth_failed */
  refreshed(row: PullRequestRow, principal: Principal): Promise<PullRequestRow> {
    return this.sync.refreshNow(row, principal);
  }
}
