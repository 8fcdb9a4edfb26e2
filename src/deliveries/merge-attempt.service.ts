import { Injectable } from '@nestjs/common';
import type { ApprovedHead } from '../approvals/approval.entity.js';
import type { AttemptRepo } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ConflictHandOver } from './conflict-hand-over.js';
import { chosenRepos } from './deliveries.service.js';
import type { NewDelivery } from './delivery.entity.js';
import { stateOfAttempt, stateOfRepo } from './delivery-output.js';
import { IdempotencyService, type Request } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import type { DeliveryState } from '../tasks/task.dto.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { askedMerge } from './asked-deliveries.js';
import { DeliveryConsent } from './delivery-consent.js';
import { DeliveryLanes } from './delivery-lanes.js';
import { type DeliverySubject, DeliverySubjects } from './delivery-subjects.service.js';
import { ExpectedWork, requireOneRepo } from './expected-work.js';
import { failureOf, requireSuccess } from './finished-run.js';
import { DeliveryTrace } from './delivery-trace.js';
import type { MergeAttemptOutput, MergeInput as MergeFields } from './merge-attempt.dto.js';
import type { Overriding } from './override.dto.js';
import { forecast, toOutput } from './merge-output.js';
import { MergeLanding } from './merge-landing.service.js';
import { mergeMessage, MergePlan, type PlannedMerge } from './merge-plan.js';
import { placeOf, VerifiedWork } from './verified-work.js';

type MergeInput = MergeFields & Overriding;

/** Merges the work of an attempt into its target branches. All repositories are checked before anything moves; what has
 *  landed stays, and repeating the call continues with the rest. */
@Injectable()
export class MergeAttemptService {
  constructor(
    private readonly database: Database,
    private readonly idempotency: IdempotencyService,
    private readonly lanes: DeliveryLanes,
    private readonly consent: DeliveryConsent,
    private readonly subjects: DeliverySubjects,
    private readonly expected: ExpectedWork,
    private readonly verified: VerifiedWork,
    private readonly plan: MergePlan,
    private readonly landing: MergeLanding,
    private readonly trace: DeliveryTrace,
    private readonly handOver: ConflictHandOver,
    private readonly attemptRows: AttemptsRepository,
    private readonly taskRows: TasksRepository,
  ) {}

  /** @throws AppError attempt_not_found, repo_not_found, forbidden, session_busy, workspace_lost, attempt_failed,
   *  operation_in_progress, branch_left, branch_unknown, head_moved, content_moved, unrelated_histories,
   *  merge_conflict, strategy_not_possible, target_checked_out, target_checkout_dirty, target_moved, partly_delivered,
   *  repo_locked, checks_required, checks_running, approval_required, idempotency_conflict
   *  @param approved what a person approved; anything else is refused */
  async merge(
    { request_id, wait_ms, ...input }: MergeInput,
    principal: Principal,
    approved: readonly ApprovedHead[] | null = null,
  ): Promise<MergeAttemptOutput> {
    await this.subjects.untilIdle(input.attempt_id, principal, wait_ms);
    const request = { operation: 'merge_attempt', principal, key: request_id, payload: input };
    if (input.dry_run) return this.report(input, principal);
    const deliver = () =>
      this.lanes.begin(input.attempt_id, request, async () => {
        const subject = await this.subjects.forDelivery(input.attempt_id, principal);
        return this.lanes.atTargets(subject.workspace, () => this.run(subject, input, request, approved));
      });
    return this.verified.checkFirst(input.attempt_id, principal, deliver);
  }

  private async run(
    subject: DeliverySubject,
    input: MergeInput,
    request: Request,
    approved: readonly ApprovedHead[] | null,
  ): Promise<MergeAttemptOutput> {
    const { workspace, attempt, principal } = subject;
    requireSuccess(subject, input.allow_failed);
    const repos = await this.chosen(input);
    const task = await this.taskRows.getWithAttempts(principal, attempt.task_id);
    const message = mergeMessage(attempt, task, input.message);
    if (approved !== null) await this.requireApproved(subject, approved);
    await this.landing.settle(subject); // what an earlier call left undecided
    await this.expected.requireHead(workspace, repos, input);
    await this.lanes.requireAlone(workspace.attempt_id);
    const all = await this.plan.make(workspace, input, { repo_names: namesOf(repos), message });
    const plans = plansOf(all, repos);
    const refused = plans.find((plan) => plan.refusal !== null);
    if (refused?.refusal) throw await this.remembered(subject, all, refused.refusal);
    await this.verified.require(subject, placesOf(plans), input);
    await this.consent.require(subject, askedMerge(input, subject, plans));
    const landed = await this.landAll(subject, plans, message, input.checked_out === 'update');
    return this.finish(subject, request, all, plans, landed);
  }

  /** What a merge would do now, including what would refuse it. */
  private async report(input: MergeInput, principal: Principal): Promise<MergeAttemptOutput> {
    const subject = await this.subjects.forLook(input.attempt_id, principal);
    const { workspace, outcome, busy } = subject;
    const failure = input.allow_failed ? null : failureOf(input.attempt_id, outcome);
    const repos = await this.chosen(input);
    const all = await this.plan.make(workspace, input);
    const plans = plansOf(all, repos);
    const unverified = input.override ? null : await this.verified.forecast(subject, placesOf(plans));
    const refusals = plans.map(async (plan) => {
      const own = await this.told(plan.refusal, input.attempt_id, principal);
      return forecast(plan, busy ?? failure ?? own ?? (plan.status === 'landed' ? unverified : null));
    });
    return {
      attempt_id: input.attempt_id,
      state: stateOfAttempt(statesOf(all), outcome.state),
      dry_run: true,
      repos: await Promise.all(refusals),
    };
  }

  private async told(refusal: AppError | null, attempt_id: string, principal: Principal): Promise<AppError | null> {
    if (refusal?.code !== 'merge_conflict') return refusal;
    return this.handOver.refusalFor(refusal, attempt_id, principal);
  }

  private async chosen(input: MergeInput): Promise<AttemptRepo[]> {
    const repos = chosenRepos(await this.attemptRows.listRepos(input.attempt_id), input.repo_ids);
    requireOneRepo(input, repos, 'repo_ids');
    return repos;
  }

  /** The attempt is shown with its conflict from now on. */
  private async remembered(
    { attempt, outcome, principal }: DeliverySubject,
    all: readonly PlannedMerge[],
    refused: AppError,
  ): Promise<AppError> {
    if (refused.code !== 'merge_conflict') return refused;
    const state = stateOfAttempt(statesOf(all), outcome.state);
    await this.database.transaction((tx) => this.attemptRows.setDeliveryState(tx, attempt.id, state));
    return this.handOver.refusalFor(refused, attempt.id, principal);
  }

  /** Heads already merged are skipped; the rest must be unmoved. */
  private async requireApproved({ workspace }: DeliverySubject, approved: readonly ApprovedHead[]): Promise<void> {
    const landed = await this.landing.listMerged(workspace.attempt_id);
    const left = approved.filter(
      ({ repo_id, head }) => !landed.some((row) => row.repo_id === repo_id && row.source_commit === head),
    );
    await this.consent.requireUnmoved(workspace, left);
  }

  /** In the order of the attempt; stops at the first failure. */
  private async landAll(
    subject: DeliverySubject,
    plans: readonly PlannedMerge[],
    message: string,
    withCheckout: boolean,
  ): Promise<NewDelivery[]> {
    const landed: NewDelivery[] = [];
    for (const plan of plans.filter(({ status }) => status === 'landed')) {
      try {
        landed.push(await this.landing.land(subject, plan, message, withCheckout));
      } catch (error) {
        if (landed.length === 0) throw error;
        throw await this.partly(subject, plans, landed, plan, error);
      }
    }
    return landed;
  }

  private async partly(
    { attempt }: DeliverySubject,
    plans: readonly PlannedMerge[],
    landed: readonly NewDelivery[],
    failed: PlannedMerge,
    error: unknown,
  ): Promise<unknown> {
    const refused = toAppError(error);
    if (refused === null) return error;
    await this.landing.markPartly(attempt.id);
    const { repo_name } = failed.position.repo;
    const repos = plans.map((plan) => toOutput(plan, landed, plan === failed ? refused : null));
    return new AppError('partly_delivered', { attempt_id: attempt.id, repo_name, reason: refused.message, repos });
  }

  /** Writes state, task and the stored answer together. */
  private finish(
    { attempt, outcome, principal }: DeliverySubject,
    request: Request,
    all: readonly PlannedMerge[],
    plans: readonly PlannedMerge[],
    landed: readonly NewDelivery[],
  ): Promise<MergeAttemptOutput> {
    const states = all.map(({ position }) => stateAfter(position.repo.repo_id, position, landed));
    const state = stateOfAttempt(states, outcome.state);
    return this.idempotency.once({ ...request, project_id: attempt.project_id }, async (tx) => {
      await this.attemptRows.lock(tx, principal, attempt.id);
      await this.attemptRows.setDeliveryState(tx, attempt.id, state);
      if (state === 'merged')
        await this.trace.allDelivered(tx, attempt.task_id, await this.mergedRows(attempt.id, landed), principal);
      return {
        attempt_id: attempt.id,
        state,
        dry_run: false,
        repos: plans.map((plan) => toOutput(plan, landed, null)),
      };
    });
  }

  /** Rows of this call, and of an interrupted earlier one. */
  private async mergedRows(attempt_id: string, landed: readonly NewDelivery[]): Promise<readonly NewDelivery[]> {
    return landed.length > 0 ? landed : this.landing.listMerged(attempt_id);
  }
}

const stateAfter = (
  repo_id: string,
  position: PlannedMerge['position'],
  landed: readonly NewDelivery[],
): DeliveryState => (landed.some((row) => row.repo_id === repo_id) ? 'merged' : stateOfRepo(position));

const statesOf = (plans: readonly PlannedMerge[]): DeliveryState[] =>
  plans.map(({ position }) => stateOfRepo(position));

const placesOf = (plans: readonly PlannedMerge[]) =>
  plans.filter(({ status }) => status === 'landed').map(({ position }) => placeOf(position));

const namesOf = (repos: readonly AttemptRepo[]): string[] => repos.map(({ repo_name }) => repo_name);

const plansOf = (all: readonly PlannedMerge[], repos: readonly AttemptRepo[]): PlannedMerge[] =>
  all.filter(({ position }) => repos.some(({ repo_id }) => repo_id === position.repo.repo_id));
