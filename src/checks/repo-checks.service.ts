import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import { projectFact } from '../projects/project.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { RepoTarget } from '../projects/repo.dto.js';
import { ReposRepository } from '../projects/repos.repository.js';
import { StorageLimits, textBytes } from '../storage/storage-limits.service.js';
import type { CheckDefinition, RepoChecks } from './check.entity.js';
import { type CheckFields, MOST_CHECKS, type RepoChecksOutput, type SetChecksInput } from './repo-checks.dto.js';
import { RepoChecksRepository } from './repo-checks.repository.js';

const MOST_PATHS = 50;
const MOST_OF_A_PATH = 500;

/** What is checked in a repository. It stands in the server, so that no work decides how it is judged. */
@Injectable()
export class RepoChecksService {
  constructor(
    private readonly database: Database,
    private readonly projectRows: ProjectsRepository,
    private readonly repoRows: ReposRepository,
    private readonly checkRows: RepoChecksRepository,
    private readonly audit: AuditService,
    private readonly storage: StorageLimits,
  ) {}

  /** @throws AppError project_not_found, not_a_member, repo_not_found */
  async get({ project_id, repo_id }: RepoTarget, principal: Principal): Promise<RepoChecksOutput> {
    await this.projectRows.get(principal, project_id);
    const [repo] = await this.repoRows.listByIds(project_id, [repo_id]);
    if (!repo) throw new AppError('repo_not_found', { repo_id });
    return toOutput(project_id, await this.checkRows.find(repo_id));
  }

  /** Replaces them all. Only a change makes a new version.
   *  @throws AppError project_not_found, not_a_member, forbidden, repo_not_found, invalid_argument, too_much_stored */
  async set({ project_id, repo_id, checks }: SetChecksInput, principal: Principal): Promise<RepoChecksOutput> {
    return this.database.transaction(async (tx) => {
      await this.projectRows.lock(tx, principal, project_id); // a stranger learns nothing else
      const { name } = await this.repoRows.lock(tx, project_id, repo_id);
      const after = definitions(checks);
      const { version, checks: before } = await this.checkRows.find(repo_id);
      if (isDeepStrictEqual(after, before)) return toOutput(project_id, { repo_id, version, checks: before });
      await this.storage.require(project_id, principal, textBytes(JSON.stringify(after)));
      const changed = { repo_id, version: await this.checkRows.set(tx, repo_id, after), checks: after };
      await this.checkRows.outdate(tx, repo_id);
      const details = { repo_id, repo_name: name, version: changed.version, before, after };
      await this.audit.record(tx, principal, projectFact(project_id, 'checks_changed', details));
      return toOutput(project_id, changed);
    });
  }
}

/** @throws AppError invalid_argument */
function definitions(given: readonly CheckFields[]): CheckDefinition[] {
  if (given.length > MOST_CHECKS)
    throw refusal([{ field: 'checks', message: `checks holds at most ${MOST_CHECKS} checks` }]);
  const checks = given.map(toDefinition);
  const twice = checks.findIndex(({ name }, at) => checks.findIndex((other) => other.name === name) < at);
  if (twice >= 0)
    throw refusal([{ field: `checks.${twice}.name`, message: `two checks are called ${checks[twice]!.name}` }]);
  checks.forEach(({ paths, command }, at) => {
    const isTooMuch = paths !== null && (paths.length > MOST_PATHS || paths.some((one) => one.length > MOST_OF_A_PATH));
    if (isTooMuch)
      throw refusal([
        { field: `checks.${at}.paths`, message: `at most ${MOST_PATHS} paths of ${MOST_OF_A_PATH} characters` },
      ]);
    if (command.includes('\0')) throw refusal([{ field: `checks.${at}.command`, message: 'a command holds no NUL' }]);
  });
  return checks;
}

const toDefinition = (given: CheckFields): CheckDefinition => ({
  name: given.name.trim(),
  command: given.command,
  timeout_secs: given.timeout_secs ?? 600,
  required: given.required ?? true,
  paths: given.paths?.length ? given.paths : null,
  network: given.network ?? 'inherit',
  rerun_on_failure: given.rerun_on_failure ?? false,
});

const toOutput = (project_id: string, { repo_id, version, checks }: RepoChecks): RepoChecksOutput => ({
  project_id,
  repo_id,
  version,
  checks,
});
