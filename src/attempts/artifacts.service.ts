import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { Principal } from '../platform/access/principal.js';
import { requireCaller } from '../platform/access/rights.js';
import type { OperationNames } from '../platform/errors/operations.js';
import { type DiffGuard, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { withHint } from './artifact-hints.js';
import type {
  AgentStateInput,
  ChangesInput,
  ChangesOutput,
  FileInput,
  FileOutput,
  PatchInput,
  PatchOutput,
} from './artifact.dto.js';
import { AttemptsRepository } from './attempts.repository.js';
import { AttemptsService } from './attempts.service.js';
import { ReadyWorkspaces } from './ready-workspaces.js';

const DEFAULT_FILE_BYTES = 65_536;
const DEFAULT_PATCH_BYTES = 204_800;

/** Reads the worktrees of an attempt, within limits; hints use the operation names of the caller's surface. */
@Injectable()
export class ArtifactsService {
  private readonly guard: DiffGuard;

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly workspaces: ReadyWorkspaces,
    private readonly attemptRows: AttemptsRepository,
    private readonly attempts: AttemptsService,
  ) {
    this.guard = {
      max_files: environment.DIFF_GUARD_MAX_FILES,
      max_lines: environment.DIFF_GUARD_MAX_LINES,
      max_bytes: environment.DIFF_GUARD_MAX_BYTES,
    };
  }

  /** Never for runs, which may have been told to ask for it.
   *  @throws AppError attempt_not_found, agent_state_missing, agent_state_too_large */
  async agentState({ attempt_id }: AgentStateInput, principal: Principal): Promise<Buffer> {
    requireCaller(principal, false, 'read what agents keep');
    const attempt = await this.attemptRows.get(principal, attempt_id);
    const { archive } = await this.host.archiveAgentState(await this.attempts.workspace(attempt));
    return Buffer.from(archive, 'base64');
  }

  /** @throws AppError attempt_not_found, workspace_not_ready, workspace_lost */
  async changes(
    { attempt_id, force = false, detail = false }: ChangesInput,
    principal: Principal,
    names: OperationNames,
  ): Promise<ChangesOutput> {
    const { file_stats, ...changes } = await this.host.changes(await this.workspaces.ready(attempt_id, principal), {
      guard: this.guard,
      force,
      hashes: detail,
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
    const slice = await this.host.file(await this.workspaces.ready(attempt_id, principal), { path, start, max_bytes });
    return withHint({ attempt_id, ...slice }, names, {
      cut: `Continue with start=${slice.start + slice.bytes}.`,
      size_exceeded: 'Narrow the request: lower max_bytes, and page with start.',
    });
  }

  /** @throws AppError attempt_not_found, workspace_not_ready, workspace_lost */
  async patch(
    { attempt_id, paths, force = false, max_bytes = DEFAULT_PATCH_BYTES, detail = false }: PatchInput,
    principal: Principal,
    names: OperationNames,
  ): Promise<PatchOutput> {
    const { file_stats, ...patch } = await this.host.patch(await this.workspaces.ready(attempt_id, principal), {
      paths,
      force,
      max_bytes,
      guard: this.guard,
      hashes: detail,
    });
    const answer = { attempt_id, ...patch, ...(detail ? { file_stats } : {}) };
    return withHint(answer, names, {
      cut:
        'Request fewer paths or a larger max_bytes. A path that exceeds the limit by itself is best ' +
        'read with {op:get_attempt_file}, page by page.',
      size_exceeded: 'Narrow the request: lower max_bytes, or pass fewer paths.',
    });
  }
}
