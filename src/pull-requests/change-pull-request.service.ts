import { Inject, Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { DeliveriesService } from '../deliveries/deliveries.service.js';
import type { RepoPosition } from '../deliveries/delivery-output.js';
import { isOpen } from '../deliveries/pull-request.entity.js';
import { pullRequestAddress } from '../forges/forge-address.js';
import type { PullRequest } from '../forges/forge.js';
import { type ForgePlace, ForgesService } from '../forges/forges.service.js';
import { IdempotencyService, type Request } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { DeliveryLanes } from '../deliveries/delivery-lanes.js';
import { type DeliverySubject, DeliverySubjects } from '../deliveries/delivery-subjects.service.js';
import { opened } from './open-pull-request.service.js';
import { OpenedPullRequests } from './opened-pull-requests.js';
import { PullRequestRows } from './pull-request-rows.js';
import type {
  AttachPullRequestInput,
  NewPullRequestInput,
  OpenPullRequestOutput,
  RepoOpenOutput,
} from './pull-request.dto.js';

/** Attaches a pull request that was opened elsewhere, or changes its texts. */
@Injectable()
export class ChangePullRequestService {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly idempotency: IdempotencyService,
    private readonly lanes: DeliveryLanes,
    private readonly subjects: DeliverySubjects,
    private readonly deliveries: DeliveriesService,
    private readonly forges: ForgesService,
    private readonly attemptRows: AttemptsRepository,
    private readonly rows: PullRequestRows,
    private readonly opened: OpenedPullRequests,
  ) {}

  /** Identified by its head commit, because anybody may use the name of a branch.
   *  @throws AppError attempt_not_found, forbidden, session_busy, workspace_lost, forge_unconfigured, forge_failed,
   *  pull_request_foreign, pull_request_not_found, idempotency_conflict */
  async attach({ request_id, ...input }: AttachPullRequestInput, principal: Principal): Promise<OpenPullRequestOutput> {
    const payload = { action: 'attach', ...input };
    const request = { operation: 'open_pull_request', principal, key: request_id, payload };
    return this.lanes.begin(input.attempt_id, request, async () => {
      const subject = await this.subjects.forPush(input.attempt_id, principal, false);
      const { position, place, found } = await this.foundAt(subject, input.url);
      const row = await this.opened.save(subject, position.repo, place, found, false);
      return this.answer(
        subject,
        opened(position.repo, 'attached', await this.rows.refreshed(row, principal)),
        request,
      );
    });
  }

  /** @throws AppError attempt_not_found, repo_not_found, forbidden, session_busy, pull_request_not_found, forge_failed,
   *  forge_rate_limited, forge_auth_failed, idempotency_conflict */
  async update({ request_id, ...input }: NewPullRequestInput, principal: Principal): Promise<OpenPullRequestOutput> {
    const payload = { action: 'update', ...input };
    const request = { operation: 'open_pull_request', principal, key: request_id, payload };
    return this.lanes.begin(input.attempt_id, request, async () => {
      const subject = await this.subjects.forPush(input.attempt_id, principal, false);
      const { repo, row } = await this.rows.one(input.attempt_id, input.repo_id, isOpen);
      const { title, body, draft } = input;
      await this.forges.get(row.forge_host).update(row.forge_repository, row.pr_number, { title, body, draft });
      return this.answer(subject, opened(repo, 'updated', await this.rows.refreshed(row, principal)), request);
    });
  }

  private async foundAt(
    { workspace }: DeliverySubject,
    url: string,
  ): Promise<{ position: RepoPosition; place: ForgePlace; found: PullRequest }> {
    const address = pullRequestAddress(url);
    if (!address) throw foreign('its URL is not that of a pull request');
    for (const position of await this.deliveries.positions(workspace, 'no')) {
      const place = await this.placeOf(workspace, position.repo.repo_name);
      if (place?.forge.host !== address.host || !isSame(place.repository, address.repository)) continue;
      const found = await place.forge.read(place.repository, address.number, false);
      const { standing, pushed } = position;
      if (![standing.head, pushed?.target_after].includes(found.head_commit))
        throw foreign('its head is not the commit that this branch is at or was pushed at');
      if (found.state === 'closed') throw foreign('it is closed');
      return { position, place, found };
    }
    throw foreign('no repository of the attempt is there');
  }

  /** Null for a repository without a forge. */
  private async placeOf(workspace: DeliverySubject['workspace'], repo_name: string): Promise<ForgePlace | null> {
    try {
      return this.forges.place((await this.host.remoteOf(workspace, repo_name)).url);
    } catch (error) {
      if (['no_remote', 'forge_unconfigured'].includes(toAppError(error)?.code ?? '')) return null;
      throw error;
    }
  }

  private async answer(
    { attempt, workspace, principal }: DeliverySubject,
    repo: RepoOpenOutput,
    request: Request,
  ): Promise<OpenPullRequestOutput> {
    const state = await this.deliveries.stateOf(workspace);
    return this.idempotency.once({ ...request, project_id: attempt.project_id }, async (tx) => {
      await this.attemptRows.lock(tx, principal, attempt.id);
      await this.attemptRows.setPullRequest(tx, attempt.id, state, repo.pull_request!.url);
      return { attempt_id: attempt.id, state, repos: [repo] };
    });
  }
}

const foreign = (reason: string): AppError => new AppError('pull_request_foreign', { reason });
const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
