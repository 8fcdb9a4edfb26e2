import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { commandRefusal } from '../executors/shell/script-command.js';
import type { Transaction } from '../platform/database/database.js';
import type { RecordTimes } from '../platform/database/record-time.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import { CloneOriginsRepository } from '../workspaces/clone-origins.repository.js';
import { withoutSecret } from '../workspaces/clone-source.js';
import { requireBranchName, unknownBranch, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import type { AddRepoFields } from './repo.dto.js';
import type { ExaminedRepo, NewRepo } from './repo.entity.js';
import { canonicalLabels } from './project-pools.js';
import { ReposRepository } from './repos.repository.js';

const LISTED_BRANCHES = 20;

/** The name becomes a folder of the worktrees and the first part of file paths. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;

/** Looks at a repository on disk, or clones it, before its row is written. */
@Injectable()
export class RepoRegistration {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly repoRows: ReposRepository,
    private readonly origins: CloneOriginsRepository,
  ) {}

  /** @throws AppError repo_invalid, branch_unknown, invalid_argument */
  async examine(fields: AddRepoFields, project_id: string): Promise<ExaminedRepo> {
    const id = newId();
    if ((fields.path === undefined) === (fields.url === undefined))
      throw new AppError(fields.path === undefined ? 'missing_target' : 'ambiguous_target', {
        allowed: ['path', 'url'],
        given: ['path', 'url'],
      });
    this.requireCommands(fields);
    const name = nameOf(fields);
    const wanted = fields.default_target_branch;
    const facts =
      fields.url === undefined
        ? await this.host.inspect(fields.path!)
        : await this.host.clone(fields.url, id, wanted === undefined ? null : { repo_name: name, branch: wanted });
    const branch = wanted ?? facts.default_branch;
    if (fields.url === undefined) await this.requireBranch(facts.root, branch, name);
    return {
      id,
      project_id,
      name,
      path: facts.root,
      url: shownUrl(fields.url),
      given_url: fields.url ?? null,
      default_target_branch: branch,
      setup_script: fields.setup_script || null,
      cleanup_script: fields.cleanup_script || null,
      runs_on: canonicalLabels(fields.runs_on ?? []),
    };
  }

  async insert(tx: Transaction, { given_url, ...repo }: ExaminedRepo): Promise<NewRepo & RecordTimes> {
    const added = await this.repoRows.insert(tx, repo);
    if (given_url !== null) await this.origins.keepPassword(tx, repo.id, given_url);
    return added;
  }

  /** Removes the clone of a repository whose row could not be written, or is gone. */
  async discard(repo: NewRepo): Promise<void> {
    if (repo.url !== null) await rm(repo.path, { recursive: true, force: true });
  }

  /** @throws AppError invalid_argument where a script would never run */
  requireCommands(fields: Pick<AddRepoFields, 'setup_script' | 'cleanup_script'>): void {
    const reason = commandRefusal(this.environment);
    const given = (['setup_script', 'cleanup_script'] as const).filter((field) => fields[field]);
    if (reason !== null && given.length > 0)
      throw refusal(given.map((field) => ({ field, message: `${field} would never run: ${reason}` })));
  }

  /** @throws AppError branch_unknown, invalid_argument */
  async requireBranch(root: string, branch: string, repo_name: string): Promise<void> {
    requireBranchName('default_target_branch', branch);
    if (await this.host.branchExists(root, branch)) return;
    throw await unknownBranch(this.host, { repo_name, repo_path: root, target_branch: branch }, LISTED_BRANCHES);
  }
}

/** A password in a URL is for git alone, and never shown. */
function shownUrl(url: string | undefined): string | null {
  if (url === undefined || !URL.canParse(url)) return url ?? null;
  const given = new URL(url);
  return given.username === '' && given.password === '' ? url : withoutSecret(given).href;
}

function nameOf(fields: AddRepoFields): string {
  const name = fields.name ?? folderName(fields.path ?? fields.url!);
  if (NAME.test(name) && !name.endsWith('.lock')) return name;
  throw refusal([
    { field: 'name', message: `name "${name}" may contain only letters, digits, dots, hyphens and underscores` },
  ]);
}

const folderName = (location: string): string =>
  path
    .basename(location.replace(/[/\\]+$/, ''))
    .replace(/\.git$/, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-');
