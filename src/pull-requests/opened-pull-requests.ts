import { Injectable } from '@nestjs/common';
import type { Attempt, AttemptRepo } from '../attempts/attempt.entity.js';
import type { NewPullRequestRow, PullRequestRow } from '../deliveries/pull-request.entity.js';
import type { OverrideInput } from '../deliveries/override.dto.js';
import { overrideNote, withNote } from '../deliveries/override-notes.js';
import { PullRequestsRepository } from '../deliveries/pull-requests.repository.js';
import type { NewPullRequest, PullRequest } from '../forges/forge.js';
import type { ForgePlace } from '../forges/forges.service.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import type { DeliverySubject } from '../deliveries/delivery-subjects.service.js';
import { PullRequestTrace } from './pull-request-trace.js';

/** Forges need a while until they know whether a new pull request can be merged. */
const FIRST_LOOK_SECS = 20;
/** Within the limits of every forge. */
const MAX_TITLE = 250;
const MAX_BODY = 60_000;

/** Opens pull requests, at most once each. */
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

  /** Finds the pull request of that branch and target, or opens one. After a lost answer it looks for it before
   *  creating another. @throws AppError nothing_to_deliver, target_not_on_remote, forge_failed, … */
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

  /** Stores a pull request that was opened or found.
   *  @throws AppError pull_request_foreign where another attempt has it; repo_locked */
  async save(
    { attempt, principal }: DeliverySubject,
    { repo_id, attempt_id }: AttemptRepo,
    { forge, repository }: ForgePlace,
    found: PullRequest,
    created: boolean,
  ): Promise<PullRequestRow> {
    const { number, url, title, state, draft, head_branch, head_commit, base_branch, mergeability } = found;
    const row: NewPullRequestRow = {
      ...{ id: newId(), attempt_id, repo_id, task_id: attempt.task_id, project_id: attempt.project_id },
      ...{ forge_host: forge.host, forge_repository: repository, pr_number: number, url, title, state, draft },
      ...{ head_branch, head_commit, base_branch, mergeability, checks: 'unknown', check_list: [] },
      ...{ checks_complete: false, review: 'unknown', review_list: [], merge_commit: null, merged_by: null },
      ...{ delivery_id: null, is_settled: state === 'open', quiet_polls: 0, sync_error: null },
      requested_by: principal.actor.name,
    };
    const known = await this.pullRequestRows.findByForge(forge.host, repository, number);
    if (known) return ofThisAttempt(known, row);
    await this.database.transaction(async (tx) => {
      await this.pullRequestRows.insert(tx, row, FIRST_LOOK_SECS);
      if (created) await this.trace.opened(tx, row, principal);
      else
        await this.trace.note(tx, row, 'pull_request_opened', `pull request #${number} was taken: ${url}`, principal);
    });
    return (await this.pullRequestRows.find(row.id))!;
  }
}

const ELSEWHERE = 'it has a pull request of this branch for another target';

/** The newest one; adapters only return those whose head is in this repository. */
async function findOpen({ forge, repository }: ForgePlace, wanted: NewPullRequest): Promise<PullRequest | undefined> {
  const found = await forge.find(repository, wanted);
  return found.toSorted((a, b) => b.number - a.number)[0];
}

function ofThisAttempt(known: PullRequestRow, { attempt_id, repo_id }: NewPullRequestRow): PullRequestRow {
  if (known.attempt_id === attempt_id && known.repo_id === repo_id) return known;
  throw new AppError('pull_request_foreign', { reason: 'it belongs to another attempt' });
}

interface Text {
  title: string;
  body: string;
  draft: boolean;
}

/** Title and description of a pull request, by default those of the task; never an agent's own words. */
export class PullRequestText {
  private constructor(readonly fields: Text) {}

  static of(
    { id, task_id }: Pick<Attempt, 'id' | 'task_id'>,
    { title, description }: { title: string; description: string | null },
  ): PullRequestText {
    const trailers = `Taskyard-Task: ${task_id}\nTaskyard-Attempt: ${id}`;
    const body = [(description ?? '').trim().slice(0, MAX_BODY), trailers].filter(Boolean).join('\n\n');
    return new PullRequestText({ title: title.trim().replace(/\s+/g, ' ').slice(0, MAX_TITLE), body, draft: false });
  }

  with({ title, body, draft }: Partial<Text>): PullRequestText {
    const { fields } = this;
    return new PullRequestText({
      title: title ?? fields.title,
      body: body ?? fields.body,
      draft: draft ?? fields.draft,
    });
  }

  /** Who delivered it although its checks had not passed, and why. */
  overridden(override: OverrideInput | undefined, principal: Principal): PullRequestText {
    if (override === undefined) return this;
    return this.with({ body: withNote(this.fields.body, overrideNote(override, principal)) });
  }
}
