import { Inject, Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ReadyWorkspaces } from '../attempts/ready-workspaces.js';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import type { DiffRequest, DiffSlice } from '../workspaces/artifact-host.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import type { DiffInput } from './artifact.dto.js';
import { DeliveredSpans } from './delivered-spans.js';

/** Hands out all that an attempt has made in a repository, for a program that applies it. */
@Injectable()
export class WholeDiffService {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly workspaces: ReadyWorkspaces,
    private readonly attemptRows: AttemptsRepository,
    private readonly delivered: DeliveredSpans,
  ) {}

  /** The diff in slices, of which the first is read already, so that a refusal is one.
   *  @throws AppError attempt_not_found, repo_not_found, diff_too_large, workspace_not_ready, workspace_lost */
  async open(input: DiffInput, principal: Principal): Promise<AsyncGenerator<Buffer>> {
    const workspace = await this.workspaces.ready(input.attempt_id, principal);
    const repo_name = await this.repositoryOf(input);
    const request = { repo_name, delivered: await this.delivered.of(input.attempt_id), start: 0 };
    return this.slices(workspace, request, await this.host.diff(workspace, request));
  }

  private async repositoryOf({ attempt_id, repo_id }: DiffInput): Promise<string> {
    const repos = await this.attemptRows.listRepos(attempt_id);
    const found = repo_id === undefined ? repos : repos.filter((repo) => repo.repo_id === repo_id);
    if (found.length === 0) throw new AppError('repo_not_found', { repo_id });
    if (found.length === 1) return found[0]!.repo_name;
    const names = repos.map((repo) => `${repo.repo_name} (${repo.repo_id})`).join(', ');
    throw refusal([{ field: 'repo_id', message: `repo_id is required, as the attempt has several: ${names}` }]);
  }

  private async *slices(workspace: Workspace, request: DiffRequest, first: DiffSlice): AsyncGenerator<Buffer> {
    const { span, total_bytes } = first;
    let bytes = Buffer.from(first.content, 'base64');
    for (let start = 0; ;) {
      yield bytes;
      start += bytes.length;
      if (span === null || start >= total_bytes) return;
      const { content } = await this.host.diff(workspace, { ...request, span, start });
      bytes = Buffer.from(content, 'base64');
    }
  }
}
