import { Injectable } from '@nestjs/common';
import type { AttemptRepo } from '../attempts/attempt.entity.js';
import type { NewPullRequestRow, PullRequestRow } from '../deliveries/pull-request.entity.js';
import { PullRequestsRepository } from '../deliveries/pull-requests.repository.js';
import type { NewPullRequest, PullRequest } from '../forges/forge.js';
import type { ForgePlace } from '../forges/forges.service.js';
import { Database } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import type { DeliverySubject } from './delivery-subjects.service.js';
import { PullRequestText } from './pull-request-text.js';
import { PullRequestTrace } from './pull-request-trace.js';

/** A forge looks at a new pull request for a while before it knows whether it merges. */
const FIRST_LOOK_SECS = 20;

/** Pull requests on their forge, made at most once. */
@Injectable()
export class OpenedPullRequests {
  constructor(
    private readonly database: Database,
    private readonly taskRows: TasksRepository,
    private readonly pullRequestRows: PullRequestsRepository,
    private readonly trace: PullRequestTrace,
  ) {}

  async textFor({ attempt, principal }: DeliverySubject): Promise<PullRequestText> {
    return PullRequestText.of(attempt, await this.taskRows.getWithAttempts(principal, attempt.task_id));
  }

  /** The one of that branch and target, opened where there is none. An answer that was lost on the way is found again
   *  before anything is repeated. @throws AppError nothing_to_deliver, target_not_on_remote, forge_failed, … */
  async ensure(
    place: ForgePlace,
    repo_name: string,
    wanted: NewPullRequest,
  ): Promise<{ pull_request: PullRequest; created: boolean }> {
    const earlier = await findOpen(place, wanted);
    if (earlier) return { pull_request: earlier, created: false };
    try {
      const creation = await place.forge.create(place.repository, wanted);
      if (creation.outcome === 'created') return { pull_request: creation.pull_request, created: true };
      const target_branch = wanted.base_branch;
      if (creation.outcome === 'nothing_to_deliver')
        throw new AppError('nothing_to_deliver', { repo_name, target_branch });
      if (creation.outcome === 'no_base') throw new AppError('target_not_on_remote', { repo_name, target_branch });
    } catch (error) {
      if (toAppError(error)?.code !== 'forge_failed') throw error;
      const made = await findOpen(place, wanted);
      if (!made) throw error;
      return { pull_request: made, created: true };
    }
    const other = await findOpen(place, wanted);
    if (!other) throw new AppError('forge_failed', { host: place.forge.host, reason: ELSEWHERE });
    return { pull_request: other, created: false };
  }

  /** The row of a pull request that was opened, or found.
   *  @throws AppError pull_request_foreign where another attempt has it; repo_locked */
  async save(
    { attempt, principal }: DeliverySubject,
    { repo_id, attempt_id }: AttemptRepo,
    { forge, repository }: ForgePlace,
    found: PullRequest,
    created: boolean,
  ): Promise<PullRequestRow> {
    const { number, url, title, state, draft, head_branch, head_commit, base_branch, mergeability } = found;
    const now = new Date();
    const row: NewPullRequestRow = {
      ...{ id: newId(), attempt_id, repo_id, task_id: attempt.task_id, project_id: attempt.project_id },
      ...{ forge_host: forge.host, forge_repository: repository, pr_number: number, url, title, state, draft },
      ...{ head_branch, head_commit, base_branch, mergeability, checks: 'unknown', check_list: [] },
      ...{ checks_complete: false, review: 'unknown', review_list: [], merge_commit: null, merged_by: null },
      ...{ delivery_id: null, is_settled: state === 'open', quiet_polls: 0, sync_error: null },
      next_sync_at: new Date(now.getTime() + FIRST_LOOK_SECS * 1_000),
      synced_at: now,
      requested_by: principal.actor.name,
      created_at: now,
      updated_at: now,
    };
    const known = await this.pullRequestRows.findByForge(forge.host, repository, number);
    if (known) return ofThisAttempt(known, row);
    await this.database.transaction(async (tx) => {
      await this.pullRequestRows.insert(tx, row);
      if (created) await this.trace.opened(tx, row, principal);
      else
        await this.trace.note(tx, row, 'pull_request_opened', `pull request #${number} was taken: ${url}`, principal);
    });
    return (await this.pullRequestRows.find(row.id))!;
  }
}

const ELSEWHERE = 'it has a pull request of this branch for another target';

/** The newest; the adapter answers only those whose head is a branch of this very repository. */
async function findOpen({ forge, repository }: ForgePlace, wanted: NewPullRequest): Promise<PullRequest | undefined> {
  const found = await forge.find(repository, wanted);
  return found.toSorted((a, b) => b.number - a.number)[0];
}

function ofThisAttempt(known: PullRequestRow, { attempt_id, repo_id }: NewPullRequestRow): PullRequestRow {
  if (known.attempt_id === attempt_id && known.repo_id === repo_id) return known;
  throw new AppError('pull_request_foreign', { reason: 'it belongs to another attempt' });
}
