import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import type { OperationNames } from '../platform/errors/operations.js';
import { RunnerIdentity } from '../platform/queue/runner-identity.js';
import { type DiffGuard, type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { withHint } from './artifact-hints.js';
import type { Attempt } from './attempt.entity.js';
import type { ChangesInput, ChangesOutput, FileInput, FileOutput, PatchInput, PatchOutput } from './artifact.dto.js';
import { AttemptsRepository } from './attempts.repository.js';
import { AttemptsService } from './attempts.service.js';

const READY_WAIT_MS = 5_000;
const DEFAULT_FILE_BYTES = 65_536;
const DEFAULT_PATCH_BYTES = 204_800;

/** Reads the worktrees of an attempt, within limits; hints speak in the names of whoever asks. */
@Injectable()
export class ArtifactsService {
  private readonly guard: DiffGuard;

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly attemptRows: AttemptsRepository,
    private readonly attempts: AttemptsService,
    private readonly hub: ChangeHub,
    private readonly runner: RunnerIdentity,
  ) {
    this.guard = {
      max_files: environment.DIFF_GUARD_MAX_FILES,
      max_lines: environment.DIFF_GUARD_MAX_LINES,
      max_bytes: environment.DIFF_GUARD_MAX_BYTES,
    };
  }

  /** @throws AppError attempt_not_found, workspace_not_ready, workspace_lost */
  async changes(
    { attempt_id, force = false, detail = false }: ChangesInput,
    principal: Principal,
    names: OperationNames,
  ): Promise<ChangesOutput> {
    const { file_stats, ...changes } = await this.host.changes(await this.ready(attempt_id, principal), {
      guard: this.guard,
      force,
    });
    return {
      ...withHint({ attempt_id, ...changes }, names, {
        cut: 'The list was truncated at its limit; narrow the request with {op:get_attempt_patch}.',
      }),
      ...(detail ? { file_stats } : {}),
    };
  }

  /** @throws AppError attempt_not_found, file_not_found, workspace_not_ready, workspace_lost */
  async file(
    { attempt_id, path, start = 0, max_bytes = DEFAULT_FILE_BYTES }: FileInput,
    principal: Principal,
    names: OperationNames,
  ): Promise<FileOutput> {
    const slice = await this.host.file(await this.ready(attempt_id, principal), { path, start, max_bytes });
    return withHint({ attempt_id, ...slice }, names, {
      cut: `Continue with start=${slice.start + slice.bytes}.`,
      size_exceeded: 'Narrow the request: lower max_bytes, and page with start.',
    });
  }

  /** @throws AppError attempt_not_found, workspace_not_ready, workspace_lost */
  async patch(
    { attempt_id, paths, force = false, max_bytes = DEFAULT_PATCH_BYTES }: PatchInput,
    principal: Principal,
    names: OperationNames,
  ): Promise<PatchOutput> {
    const patch = await this.host.patch(await this.ready(attempt_id, principal), {
      paths,
      force,
      max_bytes,
      guard: this.guard,
    });
    return withHint({ attempt_id, ...patch }, names, {
      cut:
        'Request fewer paths or a larger max_bytes. A path that exceeds the limit by itself is best ' +
        'read with {op:get_attempt_file}, page by page.',
      size_exceeded: 'Narrow the request: lower max_bytes, or pass fewer paths.',
    });
  }

  /** The worktrees, once they are there; waits at most 5 s for them. */
  private async ready(attempt_id: string, principal: Principal): Promise<Workspace> {
    const attempt = await this.hub.waitFor(attempt_id, READY_WAIT_MS, async () => {
      const row = await this.attemptRows.get(principal, attempt_id);
      return row.workspace_state === 'preparing' ? null : row;
    });
    if (attempt === null) throw new AppError('workspace_not_ready', { attempt_id });
    return attempt.workspace_state === 'ready' ? this.attempts.workspace(attempt) : this.prepareAgain(attempt);
  }

  /** Worktrees that housekeeping took after a long rest, or could not make, are made from their branch.
   *  @throws AppError workspace_lost, or a refusal that another try may overcome */
  private async prepareAgain(attempt: Attempt): Promise<Workspace> {
    try {
      const baseCommits = await this.host.prepare(await this.attempts.workspace(attempt));
      await this.attemptRows.setReady(attempt.id, attempt.runner_id ?? this.runner.id, baseCommits);
      return await this.attempts.workspace(attempt); // now with the base commits
    } catch (error) {
      const refusal = toAppError(error);
      if (attempt.workspace_state === 'removed' || refusal === null || refusal.row.retryable) throw error;
      const { id: attempt_id, branch: workspace_branch } = attempt;
      throw new AppError('workspace_lost', { attempt_id, workspace_branch, reason: refusal.message });
    }
  }
}
