import { Inject, Injectable } from '@nestjs/common';
import type { AttemptRepo } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ReadyWorkspaces } from '../attempts/ready-workspaces.js';
import { AttemptChecksService, workNow, type WorkNow } from '../checks/attempt-checks.service.js';
import type { Checkout } from '../git/landing.js';
import { localOwner, type Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { pageLimit } from '../platform/fields/paging.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import type { DeliveryState } from '../tasks/task.dto.js';
import type { Fetching, WorkCommit } from '../workspaces/delivery-host.js';
import type { Delivery } from './delivery.entity.js';
import { KnownConflicts } from './known-conflicts.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { PullRequestsRepository } from './pull-requests.repository.js';
import { type RepoPosition, stateOfAttempt, stateOfRepo, toDeliveryOutput, toRepoDelivery } from './delivery-output.js';
import type {
  AttemptDeliveryInput,
  AttemptDeliveryOutput,
  ListDeliveriesInput,
  ListDeliveriesOutput,
} from './delivery.dto.js';

/** Delivery states of attempts, read from their worktrees. */
@Injectable()
export class DeliveriesService {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly workspaces: ReadyWorkspaces,
    private readonly attemptRows: AttemptsRepository,
    private readonly projectRows: ProjectsRepository,
    private readonly deliveryRows: DeliveriesRepository,
    private readonly pullRequestRows: PullRequestsRepository,
    private readonly checks: AttemptChecksService,
    private readonly hub: ChangeHub,
    private readonly conflicts: KnownConflicts,
  ) {}

  /** With `wait_ms`, answers when anything differs from the first read, or when the time is over.
   *  @throws AppError attempt_not_found, repo_not_found, workspace_not_ready, workspace_lost */
  async get(input: AttemptDeliveryInput, principal: Principal): Promise<AttemptDeliveryOutput> {
    const workspace = await this.workspaces.ready(input.attempt_id, principal);
    let seen = await this.look(input, workspace, 'anew');
    if (!input.wait_ms) return seen;
    const first = JSON.stringify(seen);
    await this.hub.waitFor(input.attempt_id, input.wait_ms, async () => {
      seen = await this.look(input, workspace, 'try');
      return JSON.stringify(seen) === first ? null : seen;
    });
    return seen;
  }

  async list(input: ListDeliveriesInput, principal: Principal): Promise<ListDeliveriesOutput> {
    await this.projectRows.get(principal, input.project_id);
    const limit = pageLimit(input.limit);
    const { rows, ...page } = await this.deliveryRows.listOfProject(input.project_id, limit, input.cursor);
    return { ...page, deliveries: rows.map(toDeliveryOutput) };
  }

  /** Every repository of the attempt, in its order. @param commit comes before the look */
  async positions(workspace: Workspace, fetching: Fetching, commit?: WorkCommit): Promise<RepoPosition[]> {
    const { attempt_id } = workspace;
    const [standings, repos, latest, pullRequests] = await Promise.all([
      this.host.standing(workspace, fetching, commit),
      this.attemptRows.listRepos(attempt_id),
      this.deliveryRows.listLatest(attempt_id),
      this.pullRequestRows.listLatest(attempt_id),
    ]);
    return repos.flatMap((repo) => {
      const standing = standings.find(({ repo_name }) => repo_name === repo.repo_name);
      const pull_request = pullRequests.find(({ repo_id }) => repo_id === repo.repo_id) ?? null;
      return standing ? [{ repo, standing, ...actsOf(latest, repo), pull_request }] : [];
    });
  }

  /** Where target branches are checked out, by the name of the repository. */
  async checkouts(workspace: Workspace): Promise<Map<string, Checkout | null>> {
    const found = workspace.repos.map(
      async ({ repo_name }) => [repo_name, await this.host.checkout(workspace, repo_name)] as const,
    );
    return new Map(await Promise.all(found));
  }

  /** Read anew, from all repositories. */
  async stateOf(workspace: Workspace): Promise<DeliveryState> {
    const [positions, { state }] = await Promise.all([
      this.positions(workspace, 'no'),
      this.attemptRows.outcomeOf(workspace.attempt_id),
    ]);
    return stateOfAttempt(positions.map(stateOfRepo), state);
  }

  private async look(
    { attempt_id, repo_id }: AttemptDeliveryInput,
    all: Workspace,
    fetching: Fetching,
  ): Promise<AttemptDeliveryOutput> {
    const outcome = await this.attemptRows.outcomeOf(attempt_id);
    const [positions, checkouts, pushable, attempt] = await Promise.all([
      this.positions(all, fetching),
      this.checkouts(all),
      this.pushable(all),
      this.attemptRows.get(localOwner, attempt_id),
    ]);
    const state = stateOfAttempt(positions.map(stateOfRepo), outcome.state);
    await this.conflicts.correct(attempt_id, outcome, state === 'conflicted');
    const chosen = positions.filter(({ repo }) => repo_id === undefined || repo.repo_id === repo_id);
    if (chosen.length === 0 && repo_id !== undefined) throw new AppError('repo_not_found', { repo_id });
    return {
      attempt_id,
      state,
      checks_state: (await this.checks.of(attempt, positions.map(workOf))).state,
      repos: chosen.map((position) => {
        const { repo_name } = position.repo;
        const has_remote = pushable.has(repo_name);
        return { ...toRepoDelivery(position, checkouts.get(repo_name) ?? null), has_remote };
      }),
    };
  }

  /** Names of the repositories that have a remote to push to. */
  private async pushable(workspace: Workspace): Promise<ReadonlySet<string>> {
    const found = workspace.repos.map(({ repo_name }) =>
      this.host.remoteOf(workspace, repo_name).then(
        () => [repo_name],
        (error: unknown) => {
          if (toAppError(error)?.code === 'no_remote') return [];
          throw error;
        },
      ),
    );
    return new Set((await Promise.all(found)).flat());
  }
}

const workOf = ({ repo, standing }: RepoPosition): WorkNow => workNow(repo.repo_id, standing);

function actsOf(rows: readonly Delivery[], { repo_id }: AttemptRepo): Pick<RepoPosition, 'latest' | 'pushed'> {
  const [latest = null] = rows
    .filter((row) => row.repo_id === repo_id)
    .sort((one, other) => Number(other.number) - Number(one.number));
  return { latest, pushed: rows.find((row) => row.repo_id === repo_id && row.kind === 'push') ?? null };
}

/** @returns the named ones, or all if none is named. @throws AppError repo_not_found */
export function chosenRepos(repos: readonly AttemptRepo[], ids: readonly string[] | undefined): AttemptRepo[] {
  if (ids === undefined) return [...repos];
  const missing = ids.find((id) => !repos.some(({ repo_id }) => repo_id === id));
  if (missing !== undefined) throw new AppError('repo_not_found', { repo_id: missing });
  return repos.filter(({ repo_id }) => ids.includes(repo_id));
}
