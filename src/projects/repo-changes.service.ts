import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { StorageLimits, textBytes } from '../storage/storage-limits.service.js';
import { canonicalLabels, ProjectPools } from './project-pools.js';
import { projectFact } from './project.entity.js';
import { ProjectsRepository } from './projects.repository.js';
import { type ChangeRepoInput, type RepoOutput, toRepoOutput } from './repo.dto.js';
import type { Repo, RepoSettings } from './repo.entity.js';
import { RepoRegistration } from './repo-registration.js';
import { ReposRepository } from './repos.repository.js';

/** Changes how attempts begin in a repository. Those that have begun keep their branches. */
@Injectable()
export class RepoChanges {
  constructor(
    private readonly database: Database,
    private readonly projectRows: ProjectsRepository,
    private readonly repoRows: ReposRepository,
    private readonly registration: RepoRegistration,
    private readonly pools: ProjectPools,
    private readonly audit: AuditService,
    private readonly storage: StorageLimits,
  ) {}

  /** @throws AppError project_not_found, not_a_member, forbidden, repo_not_found, branch_unknown, invalid_argument,
   *  too_much_stored */
  async change(input: ChangeRepoInput, principal: Principal): Promise<RepoOutput> {
    const { project_id, repo_id } = input;
    await this.projectRows.get(principal, project_id);
    await this.requirePossible(input);
    return this.database.transaction(async (tx) => {
      const repo = await this.repoRows.lock(tx, project_id, repo_id);
      const before = settingsOf(repo);
      const after = changed(before, input);
      if (isDeepStrictEqual(before, after)) return toRepoOutput(repo);
      if (!isDeepStrictEqual(before.runs_on, after.runs_on)) await this.pools.requireMaintainer(project_id, principal);
      const more = scriptBytes(after) - scriptBytes(before);
      if (more > 0) await this.storage.require(project_id, principal, more);
      await this.repoRows.update(tx, repo_id, after);
      await this.audit.record(tx, principal, projectFact(project_id, 'repo_changed', { repo_id, before, after }));
      return toRepoOutput({ ...repo, ...after });
    });
  }

  /** Asks git before the row is locked. */
  private async requirePossible(input: ChangeRepoInput): Promise<void> {
    this.registration.requireCommands(input);
    const [repo] = await this.repoRows.listByIds(input.project_id, [input.repo_id]);
    const branch = input.default_target_branch;
    if (repo && branch !== undefined && branch !== repo.default_target_branch)
      await this.registration.requireBranch(repo.path, branch, repo.name);
  }
}

const settingsOf = ({ default_target_branch, setup_script, cleanup_script, runs_on }: Repo): RepoSettings => ({
  default_target_branch,
  setup_script,
  cleanup_script,
  runs_on,
});

const changed = (before: RepoSettings, input: ChangeRepoInput): RepoSettings => ({
  default_target_branch: input.default_target_branch ?? before.default_target_branch,
  setup_script: input.setup_script === undefined ? before.setup_script : input.setup_script || null,
  cleanup_script: input.cleanup_script === undefined ? before.cleanup_script : input.cleanup_script || null,
  runs_on: input.runs_on === undefined ? before.runs_on : canonicalLabels(input.runs_on),
});

const scriptBytes = ({ setup_script, cleanup_script }: RepoSettings): number => textBytes(setup_script, cleanup_script);
