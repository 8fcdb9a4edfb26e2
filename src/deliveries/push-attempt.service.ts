import { Inject, Injectable } from '@nestjs/common';
import type { ApprovedHead } from '../approvals/approval.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { chosenRepos, DeliveriesService } from './deliveries.service.js';
import { type RepoPosition, stateOfRepo } from './delivery-output.js';
import { IdempotencyService, type Request } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { nested } from '../platform/errors/nested-refusal.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { askedPush } from './asked-deliveries.js';
import { DeliveryConsent } from './delivery-consent.js';
import { DeliveryLanes } from './delivery-lanes.js';
import { contentMoved, ExpectedWork, requireOneRepo } from './expected-work.js';
import { type DeliverySubject, DeliverySubjects } from './delivery-subjects.service.js';
import { requireSuccess } from './finished-run.js';
import { mergeMessage } from './merge-plan.js';
import type { Overriding } from './override.dto.js';
import { OverrideNotes } from './override-notes.js';
import { isOpen } from './pull-request.entity.js';
import { PushLanding } from './push-landing.service.js';
import type { PushAttemptInput, PushAttemptOutput, RepoPushOutput } from './push-attempt.dto.js';
import type { ResolvedCommentOutput } from './pull-request.dto.js';
import { ResolveCommentsService } from './resolve-comments.service.js';
import { placeOf, VerifiedWork } from './verified-work.js';

type PushInput = Omit<PushAttemptInput, 'request_id'> & Overriding;

interface PushReason {
  /** What a person approved; anything else is refused. */
  approved?: readonly ApprovedHead[];
  /** Pull requests are opened with it. */
  opens?: boolean;
}

/** Pushes the branch of an attempt to its remotes, without overwriting what others pushed. */
@Injectable()
export class PushAttemptService {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly idempotency: IdempotencyService,
    private readonly lanes: DeliveryLanes,
    private readonly consent: DeliveryConsent,
    private readonly subjects: DeliverySubjects,
    private readonly expected: ExpectedWork,
    private readonly verified: VerifiedWork,
    private readonly notes: OverrideNotes,
    private readonly deliveries: DeliveriesService,
    private readonly landing: PushLanding,
    private readonly attemptRows: AttemptsRepository,
    private readonly taskRows: TasksRepository,
    private readonly comments: ResolveCommentsService,
  ) {}

  /** @throws AppError attempt_not_found, repo_not_found, forbidden, session_busy, workspace_lost, no_remote,
   *  attempt_failed, head_moved, content_moved,
   *  operation_in_progress, branch_left, foreign_head, push_rejected, remote_refused, remote_auth_failed,
   *  remote_not_found, remote_unreachable, partly_delivered, repo_locked, approval_required, idempotency_conflict,
   *  comment_not_found and what a forge refuses where comments are to be resolved */
  async push(
    { request_id, ...input }: PushAttemptInput & Overriding,
    principal: Principal,
    { approved = [], opens = false }: PushReason = {},
  ): Promise<PushAttemptOutput> {
    const request = { operation: 'push_attempt', principal, key: request_id, payload: input };
    const deliver = () =>
      this.lanes.begin(input.attempt_id, request, async () => {
        const subject = await this.subjects.forPush(input.attempt_id, principal, input.overwrite !== undefined);
        await this.consent.requireUnmoved(subject.workspace, approved);
        return this.run(subject, input, request, opens);
      });
    return this.verified.checkFirst(input.attempt_id, principal, deliver);
  }

  private async run(
    subject: DeliverySubject,
    input: PushInput,
    request: Request,
    opens: boolean,
  ): Promise<PushAttemptOutput> {
    const { attempt, workspace, principal } = subject;
    const rows = await this.attemptRows.listRepos(attempt.id);
    const repos = chosenRepos(rows, input.repo_id === undefined ? undefined : [input.repo_id]);
    requireSuccess(subject, input.allow_failed);
    requireOneRepo(input, repos, 'repo_id');
    if (input.overwrite !== undefined && repos.length > 1)
      throw refusal([{ field: 'overwrite', message: 'overwrite goes with one repository; pass repo_id' }]);
    await this.comments.requireKnown(attempt.id, input.resolve_comments ?? []);
    await this.landing.settle(subject);
    await this.expected.requireHead(workspace, repos, input);
    const task = await this.taskRows.getWithAttempts(principal, attempt.task_id);
    const commit = { repo_names: repos.map(({ repo_name }) => repo_name), message: mergeMessage(attempt, task) };
    await this.lanes.requireAlone(attempt.id);
    const positions = (await this.deliveries.positions(workspace, 'no', commit)).filter(({ repo }) =>
      repos.some(({ repo_id }) => repo_id === repo.repo_id),
    );
    for (const position of positions) {
      const refused = pushRefusal(position) ?? contentMoved(position, input);
      if (refused !== null) throw refused;
    }
    const heads = positions.filter((position) => stateOfRepo(position) !== 'none' && (opens || isProposed(position)));
    const overridden = await this.verified.require(subject, heads.map(placeOf), input);
    await this.consent.require(subject, askedPush(input, positions));
    if (overridden)
      for (const { pull_request } of heads.filter(isProposed))
        await this.notes.add(pull_request!, overridden, principal);
    const outputs = await this.pushAll(subject, positions, input.overwrite?.remote_commit ?? null);
    return this.finish(subject, outputs, await this.resolved(subject, input), request);
  }

  /** In the order of the attempt; stops at the first failure, and what was pushed stays. */
  private async pushAll(
    subject: DeliverySubject,
    positions: readonly RepoPosition[],
    overwrite: string | null,
  ): Promise<RepoPushOutput[]> {
    const outputs: RepoPushOutput[] = [];
    for (const position of positions) {
      try {
        outputs.push(await this.pushOne(subject, position, overwrite));
      } catch (error) {
        const refused = toAppError(error);
        if (refused === null || !outputs.some(({ status }) => status === 'pushed')) throw error;
        throw partly(subject, [...outputs, toOutput(position, 'failed', null, refused)], refused);
      }
    }
    return outputs;
  }

  private async pushOne(
    subject: DeliverySubject,
    position: RepoPosition,
    overwrite: string | null,
  ): Promise<RepoPushOutput> {
    if (stateOfRepo(position) === 'none') return toOutput(position, 'nothing_to_deliver', null, null);
    const pushed = await this.landing.push(subject, position, overwrite);
    return toOutput(position, pushed.before === pushed.commit ? 'up_to_date' : 'pushed', pushed, null);
  }

  /** If the forge refuses, the push stays, and repeating the call continues with the comments. */
  private async resolved(
    { attempt, principal }: DeliverySubject,
    { resolve_comments }: PushInput,
  ): Promise<ResolvedCommentOutput[]> {
    if (resolve_comments === undefined) return [];
    return (await this.comments.resolveAll(attempt, resolve_comments, null, principal)).comments;
  }

  private async finish(
    { attempt, workspace, principal }: DeliverySubject,
    repos: RepoPushOutput[],
    comments: ResolvedCommentOutput[],
    request: Request,
  ): Promise<PushAttemptOutput> {
    const state = await this.deliveries.stateOf(workspace);
    return this.idempotency.once({ ...request, project_id: attempt.project_id }, async (tx) => {
      await this.attemptRows.lock(tx, principal, attempt.id);
      await this.attemptRows.setDeliveryState(tx, attempt.id, state);
      return { attempt_id: attempt.id, state, repos, comments };
    });
  }
}

/** Its branch is the head of a pull request. */
const isProposed = ({ pull_request }: RepoPosition): boolean => pull_request !== null && isOpen(pull_request);

function pushRefusal({
  repo: { repo_name },
  standing: { operation, is_on_branch, branch },
}: RepoPosition): AppError | null {
  if (operation !== null)
    return new AppError('operation_in_progress', {
      repo_name,
      operation: operation.report.operation,
      action: ['continue', 'abort'],
    });
  return is_on_branch ? null : new AppError('branch_left', { repo_name, workspace_branch: branch });
}

function partly({ attempt }: DeliverySubject, repos: RepoPushOutput[], refused: AppError): AppError {
  const { repo_name } = repos.at(-1)!;
  return new AppError('partly_delivered', { attempt_id: attempt.id, repo_name, reason: refused.message, repos });
}

const toOutput = (
  { repo: { repo_id, repo_name }, standing: { head } }: RepoPosition,
  status: RepoPushOutput['status'],
  pushed: { remote: string; branch: string; commit: string } | null,
  error: AppError | null,
): RepoPushOutput => ({
  repo_id,
  repo_name,
  status,
  head,
  remote: pushed && { name: pushed.remote, branch: pushed.branch, commit: pushed.commit },
  error: error && nested(error),
});
