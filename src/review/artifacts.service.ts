import { Inject, Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptsService } from '../attempts/attempts.service.js';
import { ReadyWorkspaces } from '../attempts/ready-workspaces.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { ReviewsRepository } from '../comments/reviews.repository.js';
import { type Principal, writerIdOf } from '../platform/access/principal.js';
import { requireCaller } from '../platform/access/rights.js';
import type { Wording } from '../platform/errors/wording.js';
import type { ChangesRequest, DiffGuard } from '../workspaces/artifact-host.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import type { AgentStateInput, ChangesOutput, FileOutput, PatchOutput } from './artifact.dto.js';
import { changesHint, fileHint, patchHint, worded } from './artifact-hints.js';
import { DeliveredSpans } from './delivered-spans.js';
import type { ReviewedChangesInput, ReviewedFileInput, ReviewedPatchInput } from './reviewed.dto.js';

/** What an answer holds that nobody asked to be long. */
const DEFAULT_BYTES = 40 * 1024;

/** Reads what an attempt has made, within limits; hints are in the words of the caller's surface. */
@Injectable()
export class ArtifactsService {
  private readonly guard: DiffGuard;

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly workspaces: ReadyWorkspaces,
    private readonly attemptRows: AttemptsRepository,
    private readonly attempts: AttemptsService,
    private readonly delivered: DeliveredSpans,
    private readonly reviewRows: ReviewsRepository,
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
  async changes(input: ReviewedChangesInput, principal: Principal, wording: Wording): Promise<ChangesOutput> {
    const { attempt_id, force = false, detail = false, path, cursor } = input;
    const workspace = await this.workspaces.ready(attempt_id, principal);
    const found = await this.host.changes(workspace, {
      guard: this.guard,
      force,
      hashes: detail,
      ...(path !== undefined && { path }),
      ...(cursor !== undefined && { cursor }),
      ...(!force && !detail && { max_bytes: DEFAULT_BYTES }),
      ...(await this.span(input, principal)),
    });
    const { of, summary, blocked, blocked_reason, files, file_stats, folders, truncated, next_cursor } = found;
    const answer = {
      attempt_id,
      of,
      summary,
      blocked,
      blocked_reason,
      files,
      ...(detail && { file_stats }),
      ...(blocked && { folders }),
      truncated,
      ...(next_cursor !== null && { next_cursor }),
    };
    return worded(answer, changesHint(found), wording);
  }

  /** @throws AppError attempt_not_found, file_not_found, workspace_not_ready, workspace_lost */
  async file(input: ReviewedFileInput, principal: Principal, wording: Wording): Promise<FileOutput> {
    const { attempt_id, path, of, side, start = 0, max_bytes, start_line, line_count } = input;
    const isByLine = start_line !== undefined || line_count !== undefined;
    const lines = isByLine ? { start_line: start_line ?? 1, line_count } : undefined;
    const workspace = await this.workspaces.ready(attempt_id, principal);
    const shown = side === undefined ? {} : { side, ...(await this.span(input, principal)) };
    const { next, ...slice } = await this.host.file(workspace, { path, of, start, max_bytes, lines, ...shown });
    return worded({ attempt_id, ...slice }, fileHint({ ...slice, next }, start), wording);
  }

  /** @throws AppError attempt_not_found, workspace_not_ready, workspace_lost */
  async patch(input: ReviewedPatchInput, principal: Principal, wording: Wording): Promise<PatchOutput> {
    const { attempt_id, paths, force = false, max_bytes = DEFAULT_BYTES, detail = false, cursor } = input;
    const { context_lines, ignore_whitespace } = input;
    const workspace = await this.workspaces.ready(attempt_id, principal);
    const found = await this.host.patch(workspace, {
      paths,
      force,
      max_bytes,
      guard: this.guard,
      hashes: detail,
      ...(cursor !== undefined && { cursor }),
      ...(context_lines !== undefined && { context_lines }),
      ...(ignore_whitespace !== undefined && { ignore_whitespace }),
      ...(await this.span(input, principal)),
    });
    const { file_stats, next_cursor, nearest: _, ...patch } = found;
    const answer = {
      attempt_id,
      ...patch,
      ...(next_cursor !== null && { next_cursor }),
      ...(detail && { file_stats }),
    };
    return worded(answer, patchHint(found, paths), wording);
  }

  /** Between what is compared, where that is not the base and the work. */
  private async span(
    { attempt_id, since_review = false }: Pick<ReviewedChangesInput, 'attempt_id' | 'since_review'>,
    principal: Principal,
  ): Promise<Pick<ChangesRequest, 'delivered' | 'since'>> {
    const review = since_review ? await this.reviewRows.find(attempt_id, writerIdOf(principal)) : null;
    return review ? { since: review.marks } : { delivered: await this.delivered.of(attempt_id) };
  }
}
