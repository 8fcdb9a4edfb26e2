import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { ApprovedHead } from '../approvals/approval.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { toPullRequestOutput } from '../deliveries/pull-request.dto.js';
import { isOpen, type PullRequestRow } from '../deliveries/pull-request.entity.js';
import type { MergeOutcome, MergeRequest } from '../forges/forge.js';
import { ForgesService } from '../forges/forges.service.js';
import { IdempotencyService, type Request } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { askedPullRequest } from './asked-deliveries.js';
import { type DeliverySubject, DeliverySubjects } from './delivery-subjects.service.js';
import { mergeRefusal } from './merge-refusal.js';
import { PullRequestRows, type RepoPullRequest } from './pull-request-rows.js';
import type { MergePullRequestInput, MergePullRequestOutput, RepoMergePullRequestOutput } from './pull-request.dto.js';

type Status = RepoMergePullRequestOutput['status'];
type MergeInput = Omit<MergePullRequestInput, 'request_id'>;

/** A forge that was just told of a new head needs a moment to say whether it merges. */
const LOOKS = 5;
const BETWEEN_LOOKS_MS = 400;

/** Merges or closes a pull request on its forge: only what was looked at, and only where nothing speaks against it. */
@Injectable()
export class MergePullRequestService {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly subjects: DeliverySubjects,
    private readonly forges: ForgesService,
    private readonly attemptRows: AttemptsRepository,
    private readonly rows: PullRequestRows,
  ) {}

  /** @throws AppError attempt_not_found, repo_not_found, forbidden, session_busy, workspace_lost,
   *  pull_request_not_found, pull_request_not_mergeable, head_moved, strategy_not_possible, queue_unavailable,
   *  forge_unconfigured, forge_failed, forge_rate_limited, forge_auth_failed, approval_required,
   *  idempotency_conflict
   *  @param approved what a person said yes to: anything else is refused */
  async merge(
    { request_id, ...input }: MergePullRequestInput,
    principal: Principal,
    approved: readonly ApprovedHead[] = [],
  ): Promise<MergePullRequestOutput> {
    const request = { operation: 'merge_pull_request', principal, key: request_id, payload: input };
    return this.subjects.begin(input.attempt_id, request, async () => {
      const subject = await this.subjects.forDelivery(input.attempt_id, principal);
      const known = await this.rows.one(input.attempt_id, input.repo_id, isOpen);
      const found = { ...known, row: await this.settledLook(known.row, input.action, principal) };
      requireApproved(found, approved);
      const status = await this.act(subject, found, input);
      // whether it waits is asked for too
      const seen = status === 'queued' ? { ...found.row, state: status } : found.row;
      const row = await this.rows.refreshed(seen, principal);
      return this.answer(subject, { ...found, row }, status, request);
    });
  }

  private async settledLook(
    row: PullRequestRow,
    action: MergeInput['action'],
    principal: Principal,
  ): Promise<PullRequestRow> {
    let seen = await this.rows.refreshed(row, principal);
    for (
      let look = 1;
      action !== 'close' && isOpen(seen) && seen.mergeability === 'unknown' && look < LOOKS;
      look += 1
    ) {
      await delay(BETWEEN_LOOKS_MS);
      seen = await this.rows.refreshed(seen, principal);
    }
    return seen;
  }

  private async act(subject: DeliverySubject, found: RepoPullRequest, input: MergeInput): Promise<Status> {
    const { row, repo } = found;
    if (row.state === 'merged') return 'already_merged';
    if (row.state === 'closed' && input.action === 'close') return 'closed';
    if (row.state === 'queued' && input.action === 'queue') return 'queued';
    const request = input.action === 'close' ? null : this.requireMergeable(found, input, input.action);
    await this.subjects.consent.require(subject, askedPullRequest(input, found));
    if (request !== null) return this.statusOf(await this.tryMerge(row, request), repo.repo_name, row);
    await this.forges.get(row.forge_host).close(row.forge_repository, row.pr_number);
    return 'closed';
  }

  private requireMergeable({ repo, row }: RepoPullRequest, input: MergeInput, action: 'merge' | 'queue'): MergeRequest {
    const forge = this.forges.get(row.forge_host);
    const expected_head = input.expected_head!;
    const { repo_name } = repo;
    if (row.head_commit !== expected_head) throw new AppError('head_moved', { repo_name, head: row.head_commit });
    const reason = mergeRefusal(row, action);
    if (reason !== null) throw new AppError('pull_request_not_mergeable', { reason, url: row.url });
    const method = input.method ?? 'squash';
    if (!forge.capabilities.merge_methods.includes(method))
      throw new AppError('strategy_not_possible', {
        strategy: method,
        repo_name,
        reason: `${forge.kind} has no such merge`,
      });
    return { method, expected_head, queue: action === 'queue' };
  }

  /** A cut connection says nothing of what was done: the forge does. */
  private async tryMerge(row: PullRequestRow, request: MergeRequest): Promise<MergeOutcome> {
    const forge = this.forges.get(row.forge_host);
    try {
      return await forge.merge(row.forge_repository, row.pr_number, request);
    } catch (error) {
      if (toAppError(error)?.code !== 'forge_failed') throw error;
      const { state } = await forge.read(row.forge_repository, row.pr_number, request.queue);
      if (state === 'merged' || state === 'queued') return { outcome: state };
      throw error;
    }
  }

  private statusOf(outcome: MergeOutcome, repo_name: string, row: PullRequestRow): Status {
    if (outcome.outcome === 'merged' || outcome.outcome === 'queued') return outcome.outcome;
    if (outcome.outcome === 'no_queue') throw new AppError('queue_unavailable', { host: row.forge_host });
    if (outcome.outcome === 'head_moved') throw new AppError('head_moved', { repo_name, head: row.head_commit });
    const said = 'reason' in outcome ? outcome.reason : '';
    throw new AppError('pull_request_not_mergeable', {
      reason: `the forge refuses it: ${said || 'without a reason'}`,
      url: row.url,
    });
  }

  private async answer(
    { attempt, principal }: DeliverySubject,
    { repo: { repo_id, repo_name }, row }: RepoPullRequest,
    status: Status,
    request: Request,
  ): Promise<MergePullRequestOutput> {
    return this.idempotency.once({ ...request, project_id: attempt.project_id }, async (tx) => {
      const { delivery_state } = await this.attemptRows.lock(tx, principal, attempt.id);
      const repos = [{ repo_id, repo_name, status, pull_request: toPullRequestOutput(row) }];
      return { attempt_id: attempt.id, state: delivery_state ?? 'none', repos };
    });
  }
}

/** @throws AppError head_moved */
function requireApproved({ repo, row }: RepoPullRequest, approved: readonly ApprovedHead[]): void {
  const { repo_name } = repo;
  if (approved.some(({ head }) => head !== row.head_commit))
    throw new AppError('head_moved', { repo_name, head: row.head_commit });
}
