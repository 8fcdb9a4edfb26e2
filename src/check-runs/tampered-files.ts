import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { ApprovedHead } from '../approvals/approval.entity.js';
import { RepoChecksRepository } from '../checks/repo-checks.repository.js';
import { type ChangedFile, differInScripts, tamperedPaths } from '../checks/tampering.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { type CommittedWork, type FileRequest, maxFileBytes, maxListed } from '../workspaces/artifact-host.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';

const NO_GUARD = {
  max_files: Number.MAX_SAFE_INTEGER,
  max_lines: Number.MAX_SAFE_INTEGER,
  max_bytes: Number.MAX_SAFE_INTEGER,
};

/** Changes of an attempt that may make its checks pass without better work. */
@Injectable()
export class TamperedFiles {
  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly checkRows: RepoChecksRepository,
  ) {}

  /** Of the commits given, in repositories with checks. @returns `<repo_name>/<path>`, sorted
   *  @throws AppError workspace_lost, workspace_not_ready */
  async of(workspace: Workspace, heads: readonly ApprovedHead[]): Promise<string[]> {
    const definitions = (await this.checkRows.listOfAttempt(workspace.attempt_id)).filter(
      ({ checks }) => checks.length > 0,
    );
    if (definitions.length === 0) return [];
    const { file_stats } = await this.host.changes(workspace, { guard: NO_GUARD, force: true, at: heads });
    const scripts = await this.changedScripts(workspace, file_stats, heads);
    return definitions.flatMap(({ repo_id, checks }) => {
      const root = `${heads.find((head) => head.repo_id === repo_id)?.repo_name ?? ''}/`;
      const within = (full: string) => full.slice(root.length);
      const files = file_stats
        .filter((file) => file.path.startsWith(root))
        .map(({ path: full, old_path, status }) => ({
          path: within(full),
          old_path: old_path && within(old_path),
          status,
        }));
      const packages = scripts.filter((full) => full.startsWith(root)).map(within);
      const commands = checks.map(({ command }) => command);
      return tamperedPaths(files, commands, packages).map((file) => root + file);
    });
  }

  private async changedScripts(
    workspace: Workspace,
    files: readonly ChangedFile[],
    at: readonly CommittedWork[],
  ): Promise<string[]> {
    const packages = files.filter((file) => path.posix.basename(file.path) === 'package.json').slice(0, maxListed);
    const changed: string[] = [];
    for (const file of packages) {
      const before = await this.text(workspace, { path: file.old_path ?? file.path, start: 0, side: 'old', at });
      const after = await this.text(workspace, { path: file.path, start: 0, side: 'new', at });
      if (differInScripts(before, after)) changed.push(file.path);
    }
    return changed;
  }

  /** Null where there is no such file on that side. */
  private async text(workspace: Workspace, request: FileRequest): Promise<string | null> {
    try {
      const file = await this.host.file(workspace, { ...request, max_bytes: maxFileBytes });
      return file.blocked || file.truncated ? '' : file.content;
    } catch (error) {
      if (toAppError(error)?.code === 'file_not_found') return null;
      throw error;
    }
  }
}
