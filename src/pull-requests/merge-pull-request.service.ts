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
import { isCommit } from '../git/commit-id.js';
import { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { type AskedAct, DeliveryConsent } from '../deliveries/delivery-consent.js';
import { DeliveryLanes } from '../deliveries/delivery-lanes.js';
import { type DeliverySubject, DeliverySubjects } from '../deliveries/delivery-subjects.service.js';
import { DeliveriesService } from '../deliveries/deliveries.service.js';
import type { Overriding } from '../deliveries/override.dto.js';
import { OverrideNotes } from '../deliveries/override-notes.js';
import { placeOf, VerifiedWork } from '../deliveries/verified-work.js';
import { PullRequestRows, type RepoPullRequest } from './pull-request-rows.js';
import type { MergePullRequestInput, MergePullRequestOutput, RepoMergePullRequestOutput } from './pull-request.dto.js';

type Status = RepoMergePullRequestOutput['status'];
type MergeInput = Omit<MergePullRequestInput, 'request_id'> & Overriding;

/** Reads until the forge knows whether a new head can be merged. */
const LOOKS = 5;
const BETWEEN_LOOKS_MS = 400;

/** Merges or closes a pull request on its forge, at the expected head and if nothing refuses it. */
@Injectable()
export class MergePullRequestService {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly lanes: DeliveryLanes,
    private readonly consent: DeliveryConsent,
    private readonly subjects: DeliverySubjects,
    private readonly forges: ForgesService,
    private readonly attemptRows: AttemptsRepository,
    private readonly rows: PullRequestRows,
    private readonly deliveries: DeliveriesService,
    private readonly verified: VerifiedWork,
    private readonly notes: OverrideNotes,
  ) {}

  /** @throws AppError attempt_not_found, repo_not_found, forbidden, session_busy, workspace_lost,
   *  pull_request_not_found, pull_request_not_mergeable, head_moved, strategy_not_possible, queue_unavailable,
   *  forge_unconfigured, forge_failed, forge_rate_limited, forge_auth_failed, approval_required,
   *  idempotency_conflict
   *  @param approved what a person approved; anything else is refused */
  async merge(
    { request_id, ...input }: MergePullRequestInput & Overriding,
    principal: Principal,
    approved: readonly ApprovedHead[] = [],
  ): Promise<MergePullRequestOutput> {
    const request = { operation: 'merge_pull_request', principal, key: request_id, payload: input };
    const deliver = () =>
      this.lanes.begin(input.attempt_id, request, () => this.run(input, principal, request, approved));
    return this.verified.checkFirst(input.attempt_id, principal, deliver);
  }

  private async run(
    input: MergeInput,
    principal: Principal,
    request: Request,
    approved: readonly ApprovedHead[],
  ): Promise<MergePullRequestOutput> {
    const subject = await this.subjects.forDelivery(input.attempt_id, principal);
    const known = await this.rows.one(input.attempt_id, input.repo_id, isOpen);
    const found = { ...known, row: await this.settledLook(known.row, input.action, principal) };
    requireApproved(found, approved);
    const status = await this.act(subject, found, input);
    // also asks whether it waits in the queue
    const seen = status === 'queued' ? { ...found.row, state: status } : found.row;
    const row = await this.rows.refreshed(seen, principal);
    return this.answer(subject, { ...found, row }, status, request);
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
    if (request !== null) await this.requireVerified(subject, found, input);
    await this.consent.require(subject, askedPullRequest(input, found));
    if (request !== null) return this.statusOf(await this.tryMerge(row, request), repo.repo_name, row);
    await this.forges.get(row.forge_host).close(row.forge_repository, row.pr_number);
    return 'closed';
  }

  private requireMergeable({ repo, row }: RepoPullRequest, input: MergeInput, action: 'merge' | 'queue'): MergeRequest {
    const forge = this.forges.get(row.forge_host);
    const { repo_name } = repo;
    const { head_commit: expected_head } = row;
    if (!isCommit(input.expected_head!, expected_head))
      throw new AppError('head_moved', { repo_name, head: expected_head });
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

  /** What overrides its checks stands in its text before it is merged. */
  private async requireVerified(
    subject: DeliverySubject,
    { repo, row }: RepoPullRequest,
    input: MergeInput,
  ): Promise<void> {
    const positions = await this.deliveries.positions(subject.workspace, 'no');
    const position = positions.find((one) => one.repo.repo_id === repo.repo_id)!;
    const overridden = await this.verified.require(subject, [{ ...placeOf(position), head: row.head_commit }], input);
    if (overridden) await this.notes.add(row, overridden, subject.principal);
  }

  /** After a lost connection, the forge tells whether it was merged. */
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

function askedPullRequest(
  input: MergePullRequestInput,
  { repo: { repo_id, repo_name }, row }: RepoPullRequest,
): AskedAct {
  return {
    act: 'pull_request',
    arguments: { ...input },
    heads: [{ repo_id, repo_name, head: row.head_commit }],
    summary: `${input.action} pull request #${row.pr_number} of ${repo_name}`,
    shown: { repos: [{ repo_id, repo_name, pull_request: toPullRequestOutput(row) }] },
  };
}

type Seen = Pick<PullRequestRow, 'state' | 'draft' | 'mergeability' | 'checks' | 'checks_complete' | 'review'>;

/** Why a merge is refused, or null. Unknown states refuse it. A merge queue waits for rules and updates the branch by
 *  itself. */
export function mergeRefusal(seen: Seen, action: 'merge' | 'queue'): string | null {
  const { state, draft, mergeability, review } = seen;
  if (state === 'closed') return 'it is closed';
  if (draft) return 'it is a draft';
  if (mergeability === 'conflicting') return 'it conflicts with its target';
  if (mergeability === 'unknown') return 'the forge does not know yet whether it merges; try again in a moment';
  const refused = refusalOfChecks(seen);
  if (refused !== null) return refused;
  if (review === 'changes_requested') return 'a reviewer asks for changes';
  if (action === 'queue') return null;
  if (mergeability === 'behind')
    return 'its branch is behind the target, and the repository asks for it to be up to date';
  return mergeability === 'blocked' ? 'a rule of the repository blocks it' : null;
}

function refusalOfChecks({ checks, checks_complete }: Seen): string | null {
  if (checks === 'failing') return 'its checks are failing';
  if (checks === 'pending') return 'its checks are still running';
  return checks === 'unknown' || !checks_complete ? 'its checks are not known' : null;
}
