import { Inject, Injectable } from '@nestjs/common';
import type { NewAttempt, NewAttemptRepo } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { requireMade } from '../platform/access/rights.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import { MAX_LIMIT } from '../platform/fields/paging.js';
import type { Repo } from '../projects/repo.entity.js';
import { ReposRepository } from '../projects/repos.repository.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { requireBranchName, unknownBranch, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import type { AttemptRepoChoice } from './work.dto.js';

const LISTED_BRANCHES = 20;
/** The same limit as in the database. */
const MAX_DEPTH = 3;
export type PlannedRepo = Omit<NewAttemptRepo, 'attempt_id'>;
/** Parent and depth of an attempt that a run starts. */
export type AttemptPlace = Pick<NewAttempt, 'parent_attempt_id' | 'depth'>;
export interface Plan {
  project_id: string;
  place: AttemptPlace;
  repos: PlannedRepo[];
}

interface ChosenRepo {
  repo: Repo;
  target_branch: string;
}

/** Checks everything an attempt needs before anything is written, so that a wrong name is a clear refusal rather than a
 *  failed turn. */
@Injectable()
export class AttemptPlan {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly taskRows: TasksRepository,
    private readonly attemptRows: AttemptsRepository,
    private readonly repoRows: ReposRepository,
  ) {}

  /** @throws AppError task_not_found, forbidden, repo_not_in_project, branch_unknown, invalid_argument */
  async make(task_id: string, choices: AttemptRepoChoice[] | undefined, principal: Principal): Promise<Plan> {
    const task = await this.taskRows.getWithAttempts(principal, task_id);
    requireMade(principal, task);
    const { project_id } = task;
    if (project_id === null)
      throw refusal(
        [{ field: 'task_id', message: 'the task belongs to no project' }],
        'Set a project on the task first.',
      );
    return this.within(project_id, await this.chosenRepos(project_id, choices), principal);
  }

  /** For a task that is not there yet. @param branch to start from in every repository; default: that of each
   *  @throws AppError forbidden, branch_unknown, invalid_argument */
  async forNewTask(project_id: string, branch: string | undefined, principal: Principal): Promise<Plan> {
    const all = await this.allRepos(project_id);
    const chosen = all.map(({ repo, target_branch }) => ({ repo, target_branch: branch ?? target_branch }));
    return this.within(project_id, chosen, principal);
  }

  private async within(project_id: string, chosen: readonly ChosenRepo[], principal: Principal): Promise<Plan> {
    const repos = await Promise.all(
      chosen.map(({ repo, target_branch }, position) => this.plan(repo, target_branch, position)),
    );
    return { project_id, place: await this.placeBelow(principal), repos };
  }

  /** @throws AppError forbidden */
  private async placeBelow(principal: Principal): Promise<AttemptPlace> {
    if (principal.attempt === null) return { parent_attempt_id: null, depth: 0 };
    const { id, depth } = await this.attemptRows.get(principal, principal.attempt);
    if (depth < MAX_DEPTH) return { parent_attempt_id: id, depth: depth + 1 };
    throw new AppError(
      'forbidden',
      { reason: `runs may start attempts ${MAX_DEPTH} deep at most` },
      'Do the work in this attempt, or leave the task to a person.',
    );
  }

  private async chosenRepos(project_id: string, choices: AttemptRepoChoice[] | undefined): Promise<ChosenRepo[]> {
    if (choices === undefined) return this.allRepos(project_id);
    const ids = choices.map((choice) => choice.repo_id);
    if (new Set(ids).size !== ids.length)
      throw refusal([{ field: 'repos', message: 'repos names a repository twice' }]);
    const rows = await this.repoRows.listByIds(project_id, ids);
    return choices.map(({ repo_id, target_branch }) => {
      const repo = rows.find((row) => row.id === repo_id);
      if (!repo) throw new AppError('repo_not_in_project', { repo_id, project_id });
      return { repo, target_branch: target_branch ?? repo.default_target_branch };
    });
  }

  private async allRepos(project_id: string): Promise<ChosenRepo[]> {
    const { rows } = await this.repoRows.list(project_id, MAX_LIMIT);
    if (rows.length === 0)
      throw refusal(
        [{ field: 'repos', message: 'the project has no repository' }],
        `Add a repository to the project with POST /api/projects/${project_id}/repos first.`,
      );
    return rows.reverse().map((repo) => ({ repo, target_branch: repo.default_target_branch }));
  }

  private async plan(repo: Repo, target_branch: string, position: number): Promise<PlannedRepo> {
    requireBranchName('target_branch', target_branch);
    const wanted = { repo_name: repo.name, repo_path: repo.path, target_branch };
    if (!(await this.host.branchExists(repo.path, target_branch).catch(unlessNobodyIsThere)))
      throw await unknownBranch(this.host, wanted, LISTED_BRANCHES);
    return { repo_id: repo.id, position, ...wanted, base_commit: null };
  }
}

/** No living runner can check: the turn waits for one, whose preparation then reports what is wrong. @throws any other
 *  error */
function unlessNobodyIsThere(error: unknown): true {
  if (error instanceof AppError && error.code === 'workspace_unavailable') return true;
  throw error;
}

export function newAttempt(task_id: string, project_id: string, title: string, place: AttemptPlace): NewAttempt {
  const id = newId();
  return {
    id,
    task_id,
    project_id,
    branch: branchName(id, title),
    workspace_state: 'preparing',
    runner_id: null,
    ...place,
  };
}

/** `ty/<8 hex>-<slug>`; the last hex digits of a UUIDv7 are random, the first are its time. */
export function branchName(attempt_id: string, title: string): string {
  const slug = title
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 32)
    .replace(/-+$/, '');
  const id = attempt_id.slice(-8);
  return slug ? `ty/${id}-${slug}` : `ty/${id}`;
}
