import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { RepoChecksService } from '../checks/repo-checks.service.js';
import type { Principal } from '../platform/access/principal.js';
import { withRight } from '../platform/access/rights.js';
import { rightOf } from '../platform/access/scopes.js';
import type { Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import type { ErrorCode } from '../platform/errors/error-catalogue.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { projectFact } from '../projects/project.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { ProjectsService } from '../projects/projects.service.js';
import type { ExaminedRepo } from '../projects/repo.entity.js';
import { RepoRegistration } from '../projects/repo-registration.js';
import type { Numbered, Preamble } from './checked-lines.js';
import { ExternalRecordsRepository, type Origin } from './external-records.repository.js';
import type { LineErrors } from './line-errors.js';
import type { LineOf } from './read-line.js';

type RepositoryLine = Numbered<LineOf<'repository'>>;

/** A project of an import: one that is there, or one to be made. */
interface PlannedProject {
  line: Numbered<LineOf<'project'>>;
  id: string;
  isNew: boolean;
}

/** A repository to be registered; null where a dry run did not clone it. */
interface PlannedRepo {
  line: RepositoryLine;
  project: PlannedProject;
  repo: ExaminedRepo | null;
}

/** What an import will write before everything else. */
export interface ProjectPlan {
  projects: PlannedProject[];
  repos: PlannedRepo[];
  /** Repositories that are there. */
  standing: number;
}

/** Rights that adding to a project takes. */
const MAINTAINING = rightOf({ scope: 'write', role: 'maintainer' });

/** The projects and repositories of an import. */
@Injectable()
export class ProjectImports {
  constructor(
    private readonly records: ExternalRecordsRepository,
    private readonly projectRows: ProjectsRepository,
    private readonly projects: ProjectsService,
    private readonly registration: RepoRegistration,
    private readonly checks: RepoChecksService,
    private readonly audit: AuditService,
  ) {}

  /** Looks at every repository on disk, or clones it, unless it is a dry run.
   *  @throws AppError import_refused; not_a_member, project_not_found, forbidden where a project is there that is not
   *  the caller's */
  async plan(preamble: Preamble, dry_run: boolean, errors: LineErrors, principal: Principal): Promise<ProjectPlan> {
    const plan: ProjectPlan = { projects: [], repos: [], standing: 0 };
    for (const line of preamble.projects) plan.projects.push(await this.planned(line, plan, principal));
    try {
      for (const line of preamble.repositories) await this.planRepo(plan, line, dry_run, errors);
      errors.refuse();
      return plan;
    } catch (error) {
      await this.discard(plan);
      throw error;
    }
  }

  private async planRepo(plan: ProjectPlan, line: RepositoryLine, dry_run: boolean, errors: LineErrors): Promise<void> {
    const project = projectAt(plan, originOf(line));
    if (project === undefined)
      errors.add(line.number, `refers to project ${line.project.external_id}, which no earlier line is`);
    else if (await this.isThere(plan, project, line)) plan.standing += 1;
    else await this.examine(plan, project, line, dry_run, errors);
  }

  /** @throws AppError import_refused, import_in_progress, insufficient_scope, too_much_stored */
  async write(tx: Transaction, { projects, repos }: ProjectPlan, errors: LineErrors, principal: Principal) {
    for (const project of projects)
      if (project.isNew) await refusing(errors, project.line, () => this.create(tx, project, principal));
    for (const one of repos) await refusing(errors, one.line, () => this.register(tx, one, principal));
  }

  /** Removes clones that nothing was written for. */
  async discard({ repos }: ProjectPlan): Promise<void> {
    for (const { repo } of repos) if (repo !== null) await this.registration.discard(repo);
  }

  private async planned(
    line: Numbered<LineOf<'project'>>,
    plan: ProjectPlan,
    principal: Principal,
  ): Promise<PlannedProject> {
    const twin = projectAt(plan, line);
    if (twin) return { ...twin, line, isNew: false };
    const id = await this.records.findProject(line);
    if (id === null) return { line, id: newId(), isNew: true };
    await this.projectRows.get(withRight(principal, MAINTAINING), id);
    return { line, id, isNew: false };
  }

  private async isThere({ repos }: ProjectPlan, { id }: PlannedProject, line: RepositoryLine): Promise<boolean> {
    const isTwin = repos.some(({ project, line: other }) => project.id === id && isSame(line, other));
    return isTwin || (await this.records.find('repository', [id], [line])).length > 0;
  }

  private async examine(
    plan: ProjectPlan,
    project: PlannedProject,
    line: RepositoryLine,
    dry_run: boolean,
    errors: LineErrors,
  ): Promise<void> {
    const { path, url, name, default_target_branch, setup_script, cleanup_script, runs_on } = line;
    const fields = { path, url, name, default_target_branch, setup_script, cleanup_script, runs_on };
    const isCloned = dry_run && url !== undefined && path === undefined;
    try {
      const repo = isCloned ? null : await this.registration.examine(fields, project.id);
      plan.repos.push({ line, project, repo });
    } catch (error) {
      if (!(error instanceof AppError) || error.row.retryable) throw error;
      errors.add(line.number, `(repository ${name ?? path ?? url ?? ''}): ${error.message}`);
    }
  }

  private async register(tx: Transaction, { line, project, repo }: PlannedRepo, principal: Principal): Promise<void> {
    const id = repo?.id ?? newId();
    if (repo !== null) {
      await this.registration.insert(tx, repo);
      const after = { repo_id: id, name: repo.name };
      await this.audit.record(tx, principal, projectFact(project.id, 'repo_added', { after }));
    }
    const { system, external_id, checks } = line;
    await this.records.claim(tx, 'repository', [{ id, project_id: project.id, system, external_id }]);
    if (repo !== null && checks) await this.checks.set({ project_id: project.id, repo_id: id, checks }, principal);
  }

  private async create(tx: Transaction, { line, id }: PlannedProject, principal: Principal): Promise<void> {
    const { name, slug, description, auto_commit, network, allowed_hosts, presets, required_secrets, runs_on } = line;
    const { checks, check_on, fix_rounds, review, retries } = line;
    const free = slug && (await this.projectRows.freeSlug(tx, slug, id.slice(-6)));
    await this.projects.write(tx, id, { name, slug: free, description, auto_commit }, [], principal);
    const settings = { network, allowed_hosts, presets, required_secrets, runs_on };
    const verification = { checks, check_on, fix_rounds, review, retries };
    await this.projects.update({ project_id: id, ...settings, ...verification }, principal);
    const { created_at = null, updated_at = created_at } = line;
    await this.records.nameProject(tx, id, line, { created_at, updated_at });
  }
}

/** What is wrong with a record is told with its line. @throws AppError import_refused, or what is wrong beside it */
async function refusing(errors: LineErrors, line: Numbered<object>, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const refused = toAppError(error);
    if (refused === null || !TOLD.includes(refused.code)) throw error;
    errors.add(line.number, `: ${refused.message}`);
    errors.refuse();
  }
}
const TOLD: readonly ErrorCode[] = [
  ...(['invalid_argument', 'repo_name_taken', 'slug_taken', 'secret_name_reserved'] as const),
  ...(['executor_unknown', 'variant_unknown', 'executor_without_mcp'] as const), // of its review
];

const originOf = ({ project, system }: RepositoryLine): Origin => ({ system: project.system ?? system, ...project });

export const projectAt = ({ projects }: ProjectPlan, origin: Origin): PlannedProject | undefined =>
  projects.find(({ line }) => isSame(line, origin));

const isSame = (one: Origin, other: Origin): boolean =>
  one.system === other.system && one.external_id === other.external_id;
