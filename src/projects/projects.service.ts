import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { chargedAs, type Principal } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { refusal } from '../platform/fields/input-errors.js';
import { listedText, MAX_LIMIT, pageLimit } from '../platform/fields/paging.js';
import { StorageLimits, textBytes } from '../storage/storage-limits.service.js';
import {
  type CreateProjectInput,
  type FindProjectsInput,
  type ListProjectsOutput,
  type ProjectDetailsOutput,
  toProjectOutput,
  type UpdateProjectInput,
} from './project.dto.js';
import { ProjectNetworks } from './project-networks.js';
import { ProjectPools } from './project-pools.js';
import { projectFact } from './project.entity.js';
import { ProjectMembersService } from './project-members.service.js';
import { ProjectVerification } from './project-verification.js';
import { requireSecretName } from './project-secrets.service.js';
import { type OwnProject, ProjectsRepository } from './projects.repository.js';
import {
  type AddRepoInput,
  type ListReposInput,
  type ListReposOutput,
  type RepoOutput,
  type RepoTarget,
  toRepoOutput,
} from './repo.dto.js';
import type { ExaminedRepo, NewRepo } from './repo.entity.js';
import { RepoRegistration } from './repo-registration.js';
import { ReposRepository } from './repos.repository.js';

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_NAME = 200;

@Injectable()
export class ProjectsService {
  constructor(
    private readonly database: Database,
    private readonly projectRows: ProjectsRepository,
    private readonly repoRows: ReposRepository,
    private readonly registration: RepoRegistration,
    private readonly members: ProjectMembersService,
    private readonly networks: ProjectNetworks,
    private readonly pools: ProjectPools,
    private readonly verification: ProjectVerification,
    private readonly audit: AuditService,
    private readonly storage: StorageLimits,
  ) {}

  async list(input: FindProjectsInput, principal: Principal): Promise<ListProjectsOutput> {
    const { rows, ...page } = await this.projectRows.list(principal, pageLimit(input.limit), input);
    const projects = rows.map(toProjectOutput);
    return { projects: projects.map((one) => ({ ...one, description: listedText(one.description) })), ...page };
  }

  async get(project_id: string, principal: Principal): Promise<ProjectDetailsOutput> {
    const project = await this.projectRows.get(principal, project_id);
    return { ...toProjectOutput(project), role: project.project_role };
  }

  /** Projects the acting worker is a member of, newest first, at most 500. */
  async listOwn(principal: Principal): Promise<OwnProject[]> {
    const rows = await this.projectRows.listOwn(principal, MAX_LIMIT);
    return rows.map(({ id, name, slug, description, task_count, member_count }) => ({
      id,
      name,
      slug,
      description,
      task_count,
      member_count,
    }));
  }

  /** Inspects or clones the repositories first, then writes everything in one transaction. An acting worker becomes the
   *  owner. */
  async create(input: CreateProjectInput, principal: Principal): Promise<ProjectDetailsOutput> {
    requireName(input.name);
    requireSlug(input.slug);
    const id = newId();
    const scripts = (input.repos ?? []).flatMap((repo) => [repo.setup_script, repo.cleanup_script]);
    await this.storage.require(null, principal, textBytes(input.name, input.description, ...scripts));
    const repos = await this.examineAll(input, id);
    await this.writeOrDiscard(repos, (tx) => this.write(tx, id, input, repos, principal));
    return this.get(id, principal);
  }

  /** A new project with repositories that were examined. @throws AppError invalid_argument, slug_taken */
  async write(
    tx: Transaction,
    id: string,
    input: Omit<CreateProjectInput, 'repos'>,
    repos: ExaminedRepo[],
    principal: Principal,
  ): Promise<void> {
    requireName(input.name);
    requireSlug(input.slug);
    await this.insert(tx, id, input, principal);
    for (const repo of repos) await this.registration.insert(tx, repo);
    const after = { name: input.name.trim(), repos: repos.map((repo) => repo.name) };
    await this.audit.record(tx, principal, projectFact(id, 'created', { after }));
    if (principal.worker !== null) await this.members.join(tx, id, principal.worker, 'owner', principal);
  }

  async update(input: UpdateProjectInput, principal: Principal): Promise<ProjectDetailsOutput> {
    if (input.name !== undefined) requireName(input.name);
    for (const name of input.required_secrets ?? []) requireSecretName('required_secrets', name);
    await this.database.transaction(async (tx) => {
      const project = await this.projectRows.lock(tx, principal, input.project_id);
      const description = input.description === undefined ? project.description : input.description || null;
      const { name, auto_commit, required_secrets, network, allowed_hosts, presets, runs_on } = project;
      const { checks, check_on, fix_rounds, review, retries } = project;
      const before = {
        ...{ name, description: project.description, auto_commit, required_secrets },
        ...{ network, allowed_hosts, presets, runs_on },
        ...{ checks, check_on, fix_rounds, review, retries },
      };
      const after = {
        name: input.name ?? name,
        description,
        auto_commit: input.auto_commit ?? auto_commit,
        required_secrets: [...new Set(input.required_secrets ?? required_secrets)],
        ...(await this.networks.changed(project, input, principal)),
        runs_on: await this.pools.changed(project, input.runs_on, principal),
        ...(await this.verification.changed(project, input, principal)),
      };
      if (isDeepStrictEqual(before, after)) return;
      const more = textBytes(after.name, after.description) - textBytes(before.name, before.description);
      if (more > 0) await this.storage.require(project.id, principal, more);
      await this.projectRows.update(tx, project.id, { ...after, stored_by: chargedAs(principal) });
      await this.audit.record(tx, principal, projectFact(project.id, 'updated', { before, after }));
    });
    return this.get(input.project_id, principal);
  }

  async listRepos(input: ListReposInput, principal: Principal): Promise<ListReposOutput> {
    await this.projectRows.get(principal, input.project_id);
    const { rows, ...page } = await this.repoRows.list(input.project_id, pageLimit(input.limit), input.cursor);
    return { project_id: input.project_id, repos: rows.map(toRepoOutput), ...page };
  }

  async addRepo({ project_id, ...fields }: AddRepoInput, principal: Principal): Promise<RepoOutput> {
    await this.projectRows.get(principal, project_id);
    await this.storage.require(project_id, principal, textBytes(fields.setup_script, fields.cleanup_script));
    if (fields.runs_on?.length) await this.pools.requireMaintainer(project_id, principal);
    const repo = await this.registration.examine(fields, project_id);
    return this.writeOrDiscard([repo], async (tx) => {
      const added = await this.registration.insert(tx, repo);
      const after = { repo_id: repo.id, name: repo.name };
      await this.audit.record(tx, principal, projectFact(project_id, 'repo_added', { after }));
      return toRepoOutput(added);
    });
  }

  async removeRepo(input: RepoTarget, principal: Principal): Promise<{ removed_repo_id: string }> {
    const [repo] = await this.repoRows.listByIds(input.project_id, [input.repo_id]);
    await this.database.transaction(async (tx) => {
      await this.projectRows.get(principal, input.project_id);
      await this.repoRows.delete(tx, input.project_id, input.repo_id);
      const before = { repo_id: input.repo_id };
      await this.audit.record(tx, principal, projectFact(input.project_id, 'repo_removed', { before }));
    });
    if (repo) await this.registration.discard(repo);
    return { removed_repo_id: input.repo_id };
  }

  /** A given slug must be free (the index decides); a derived one gets an ending. */
  private async insert(
    tx: Transaction,
    id: string,
    input: Omit<CreateProjectInput, 'repos'>,
    principal: Principal,
  ): Promise<void> {
    const slug = input.slug ?? (await this.projectRows.freeSlug(tx, slugOf(input.name), id.slice(-6)));
    await this.projectRows.insert(tx, {
      id,
      name: input.name.trim(),
      slug,
      description: input.description || null,
      auto_commit: input.auto_commit ?? 'off',
      stored_by: chargedAs(principal),
    });
  }

  private async examineAll(input: CreateProjectInput, project_id: string): Promise<ExaminedRepo[]> {
    const examined: ExaminedRepo[] = [];
    try {
      for (const fields of input.repos ?? []) examined.push(await this.registration.examine(fields, project_id));
    } catch (error) {
      await Promise.all(examined.map((repo) => this.registration.discard(repo)));
      throw error;
    }
    return examined;
  }

  private async writeOrDiscard<T>(repos: NewRepo[], write: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(write);
    } catch (error) {
      await Promise.all(repos.map((repo) => this.registration.discard(repo)));
      throw error;
    }
  }
}

function requireName(name: string): void {
  if (name.length > MAX_NAME) throw refusal([{ field: 'name', message: `name is longer than ${MAX_NAME} characters` }]);
}

function requireSlug(slug: string | undefined): void {
  if (slug !== undefined && (!SLUG.test(slug) || slug.length > 100))
    throw refusal([{ field: 'slug', message: 'slug must be lower-case letters, digits and single hyphens' }]);
}

const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '') || 'project';
