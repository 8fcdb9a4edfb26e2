import { Inject, Injectable } from '@nestjs/common';
import type { AttemptRepo } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ReadyWorkspaces } from '../attempts/ready-workspaces.js';
import type { Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { AppError } from '../platform/errors/app-error.js';
import { MAX_WAIT_MS, pageLimit } from '../platform/fields/paging.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import type { DeliveryState } from '../tasks/task.dto.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { type RepoPosition, stateOfAttempt, stateOfRepo, toDeliveryOutput, toRepoDelivery } from './delivery-output.js';
import type {
  AttemptDeliveryInput,
  AttemptDeliveryOutput,
  ListDeliveriesInput,
  ListDeliveriesOutput,
} from './delivery.dto.js';

/** Where the work of attempts stands, read from their worktrees. */
@Injectable()
export class DeliveriesService {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly workspaces: ReadyWorkspaces,
    private readonly attemptRows: AttemptsRepository,
    private readonly projectRows: ProjectsRepository,
    private readonly deliveryRows: DeliveriesRepository,
    private readonly hub: ChangeHub,
  ) {}

  /** With `wait_ms`, answers when anything differs from the first look, or when the time is over.
   *  @throws AppError attempt_not_found, repo_not_found, workspace_not_ready, workspace_lost */
  async get(input: AttemptDeliveryInput, principal: Principal): Promise<AttemptDeliveryOutput> {
    const workspace = await this.workspaces.ready(input.attempt_id, principal);
    let seen = await this.look(input, workspace);
    if (!input.wait_ms) return seen;
    const first = JSON.stringify(seen);
    await this.hub.waitFor(input.attempt_id, Math.min(input.wait_ms, MAX_WAIT_MS), async () => {
      seen = await this.look(input, workspace);
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

  /** Every repository of the attempt, in its order. */
  async positions(workspace: Workspace): Promise<RepoPosition[]> {
    const { attempt_id } = workspace;
    const [standings, repos, latest] = await Promise.all([
      this.host.standing(workspace),
      this.attemptRows.listRepos(attempt_id),
      this.deliveryRows.latestOf(attempt_id),
    ]);
    return repos.flatMap((repo) => {
      const standing = standings.find(({ repo_name }) => repo_name === repo.repo_name);
      return standing ? [{ repo, standing, latest: latest.get(repo.repo_id) ?? null }] : [];
    });
  }

  /** Read afresh, from all repositories. */
  async stateOf(workspace: Workspace): Promise<DeliveryState> {
    return stateOfAttempt((await this.positions(workspace)).map(stateOfRepo));
  }

  private async look({ attempt_id, repo_id }: AttemptDeliveryInput, all: Workspace): Promise<AttemptDeliveryOutput> {
    const positions = await this.positions(all);
    const chosen = positions.filter(({ repo }) => repo_id === undefined || repo.repo_id === repo_id);
    if (chosen.length === 0 && repo_id !== undefined) throw new AppError('repo_not_found', { repo_id });
    return { attempt_id, state: stateOfAttempt(positions.map(stateOfRepo)), repos: chosen.map(toRepoDelivery) };
  }
}

/** @returns those that are named, all where none is. @throws AppError repo_not_found */
export function chosenRepos(repos: readonly AttemptRepo[], ids: readonly string[] | undefined): AttemptRepo[] {
  if (ids === undefined) return [...repos];
  const missing = ids.find((id) => !repos.some(({ repo_id }) => repo_id === id));
  if (missing !== undefined) throw new AppError('repo_not_found', { repo_id: missing });
  return repos.filter(({ repo_id }) => ids.includes(repo_id));
}
