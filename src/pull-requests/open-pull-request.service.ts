import { Inject, Injectable } from '@nestjs/common';
import type { AttemptRepo } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { chosenRepos, DeliveriesService } from '../deliveries/deliveries.service.js';
import { type RepoPosition, stateOfRepo } from '../deliveries/delivery-output.js';
import { toPullRequestOutput } from '../deliveries/pull-request.dto.js';
import { isOpen, type PullRequestRow } from '../deliveries/pull-request.entity.js';
import { type ForgePlace, ForgesService } from '../forges/forges.service.js';
import { IdempotencyService, type Request } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { nested } from '../platform/errors/nested-refusal.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { DeliveryLanes } from '../deliveries/delivery-lanes.js';
import { type DeliverySubject, DeliverySubjects } from '../deliveries/delivery-subjects.service.js';
import { OpenedPullRequests, type PullRequestText } from './opened-pull-requests.js';
import type { OverrideInput, Overriding } from '../deliveries/override.dto.js';
import { OverrideNotes } from '../deliveries/override-notes.js';
import { PushAttemptService } from '../deliveries/push-attempt.service.js';
import { placeOf, VerifiedWork } from '../deliveries/verified-work.js';
import type { NewPullRequestInput, OpenPullRequestOutput, RepoOpenOutput } from './pull-request.dto.js';

interface RepoPlace {
  repo: AttemptRepo;
  place: ForgePlace;
}

type OpenInput = Omit<NewPullRequestInput, 'request_id'> & Overriding;

/** Opens one pull request for each repository with work. Repeating an interrupted call finds what exists. */
@Injectable()
export class OpenPullRequestService {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly idempotency: IdempotencyService,
    private readonly lanes: DeliveryLanes,
    private readonly subjects: DeliverySubjects,
    private readonly deliveries: DeliveriesService,
    private readonly forges: ForgesService,
    private readonly attemptRows: AttemptsRepository,
    private readonly pushes: PushAttemptService,
    private readonly opened: OpenedPullRequests,
    private readonly notes: OverrideNotes,
    private readonly verified: VerifiedWork,
  ) {}

  /** @throws AppError attempt_not_found, repo_not_found, forbidden, session_busy, workspace_lost, forge_unconfigured,
   *  forge_failed, forge_rate_limited, forge_auth_failed, nothing_to_deliver, target_not_on_remote,
   *  idempotency_conflict, and those of push_attempt */
  async open(
    { request_id, ...input }: NewPullRequestInput & Overriding,
    principal: Principal,
  ): Promise<OpenPullRequestOutput> {
    const request = {
      operation: 'open_pull_request',
      principal,
      key: request_id,
      payload: { action: 'open', ...input },
    };
    const earlier = await this.idempotency.findResult<OpenPullRequestOutput>(request);
    if (earlier) return earlier;
    const { attempt_id, repo_id, allow_failed, override } = input;
    await this.places(await this.subjects.forPush(attempt_id, principal, false), repo_id); // before anything is pushed
    await this.pushes.push({ attempt_id, repo_id, allow_failed, override }, principal, { opens: true });
    return this.lanes.begin(attempt_id, request, async () => {
      const subject = await this.subjects.forPush(attempt_id, principal, false);
      return this.openAll(subject, input, request);
    });
  }

  private async openAll(subject: DeliverySubject, input: OpenInput, request: Request): Promise<OpenPullRequestOutput> {
    const places = await this.places(subject, input.repo_id);
    const positions = await this.positionsOf(subject, places);
    const override = await this.neededOverride(subject, positions, input);
    const text = (await this.opened.textFor(subject)).with(input).overridden(override, subject.principal);
    const outputs: RepoOpenOutput[] = [];
    const failures: AppError[] = [];
    for (const [at, { repo, place }] of places.entries()) {
      try {
        outputs.push(await this.openOne(subject, positions[at]!, place, text, override));
      } catch (error) {
        const refused = toAppError(error);
        if (refused === null || places.length === 1) throw error;
        failures.push(refused);
        outputs.push(failed(repo, refused));
      }
    }
    if (!outputs.some(({ pull_request }) => pull_request !== null)) throw failures[0] ?? nothing(positions[0]!);
    return this.answer(subject, outputs, request);
  }

  private async openOne(
    subject: DeliverySubject,
    position: RepoPosition,
    place: ForgePlace,
    text: PullRequestText,
    override: OverrideInput | undefined,
  ): Promise<RepoOpenOutput> {
    const { repo, standing, pull_request: known } = position;
    if (known && isOpen(known)) return opened(repo, 'already_open', known);
    if (standing.ahead === 0) return { ...failed(repo, nothing(position)), status: 'nothing_to_deliver' };
    const base_branch = standing.target?.branch ?? repo.target_branch;
    const wanted = { ...text.fields, head_branch: standing.branch, base_branch };
    const { pull_request, created } = await this.opened.ensure(place, repo.repo_name, wanted);
    const row = await this.opened.save(subject, repo, place, pull_request, created);
    if (override && !created) await this.notes.add(row, override, subject.principal);
    return opened(repo, created ? 'opened' : 'already_open', row);
  }

  /** In the order of the places. */
  private async positionsOf({ workspace }: DeliverySubject, places: RepoPlace[]): Promise<RepoPosition[]> {
    const positions = await this.deliveries.positions(workspace, 'no');
    return places.map(({ repo }) => positions.find((one) => one.repo.repo_id === repo.repo_id)!);
  }

  /** Only what has not passed its checks is said to be delivered all the same. */
  private async neededOverride(
    subject: DeliverySubject,
    positions: readonly RepoPosition[],
    { override }: Overriding,
  ): Promise<OverrideInput | undefined> {
    if (override === undefined) return undefined;
    const delivered = positions.filter((position) => stateOfRepo(position) !== 'none').map(placeOf);
    return (await this.verified.forecast(subject, delivered)) === null ? undefined : override;
  }

  /** The forge repository of each chosen repository. @throws AppError no_remote, forge_unconfigured */
  private async places({ attempt, workspace }: DeliverySubject, repo_id: string | undefined): Promise<RepoPlace[]> {
    this.forges.requireAny();
    const rows = await this.attemptRows.listRepos(attempt.id);
    const repos = chosenRepos(rows, repo_id === undefined ? undefined : [repo_id]);
    return Promise.all(
      repos.map(async (repo) => {
        const { url } = await this.host.remoteOf(workspace, repo.repo_name);
        return { repo, place: this.forges.place(url) };
      }),
    );
  }

  private async answer(
    { attempt, workspace, principal }: DeliverySubject,
    repos: RepoOpenOutput[],
    request: Request,
  ): Promise<OpenPullRequestOutput> {
    const state = await this.deliveries.stateOf(workspace);
    const url = repos.flatMap(({ pull_request }) => pull_request?.url ?? [])[0]!;
    return this.idempotency.once({ ...request, project_id: attempt.project_id }, async (tx) => {
      await this.attemptRows.lock(tx, principal, attempt.id);
      await this.attemptRows.setPullRequest(tx, attempt.id, state, url);
      return { attempt_id: attempt.id, state, repos };
    });
  }
}

const nothing = ({ repo: { repo_name, target_branch } }: RepoPosition): AppError =>
  new AppError('nothing_to_deliver', { repo_name, target_branch });

export const opened = (
  { repo_id, repo_name }: Pick<AttemptRepo, 'repo_id' | 'repo_name'>,
  status: RepoOpenOutput['status'],
  row: PullRequestRow,
): RepoOpenOutput => ({ repo_id, repo_name, status, pull_request: toPullRequestOutput(row), error: null });

const failed = ({ repo_id, repo_name }: AttemptRepo, error: AppError): RepoOpenOutput => ({
  repo_id,
  repo_name,
  status: 'failed',
  pull_request: null,
  error: nested(error),
});
