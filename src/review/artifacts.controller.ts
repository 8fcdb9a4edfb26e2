import { Controller, Res, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { worktreeErrors } from '../attempts/attempts.controller.js';
import type { Principal } from '../platform/access/principal.js';
import { restWording } from '../platform/errors/next-request.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { AgentStateInput, ChangesOutput, DiffInput, FileOutput, PatchOutput } from './artifact.dto.js';
import { ArtifactsService } from './artifacts.service.js';
import { ReviewedChangesInput, ReviewedFileInput, ReviewedPatchInput } from './reviewed.dto.js';
import { WholeDiffService } from './whole-diff.service.js';

@ApiTags('attempts')
@Controller('api')
export class ArtifactsController {
  constructor(
    private readonly artifacts: ArtifactsService,
    private readonly diffs: WholeDiffService,
  ) {}

  @Endpoint('GET attempts/:attempt_id/changes', {
    summary: 'Summarize the changes of an attempt.',
    scope: 'read',
    output: ChangesOutput,
    errors: ['attempt_not_found', ...worktreeErrors],
  })
  getAttemptChanges(@Input() input: ReviewedChangesInput, @Caller() caller: Principal): Promise<ChangesOutput> {
    return this.artifacts.changes(input, caller, restWording('get_attempt_changes', input));
  }

  @Endpoint('GET attempts/:attempt_id/file', {
    summary: 'Read part of a file of an attempt.',
    scope: 'read',
    output: FileOutput,
    errors: ['attempt_not_found', 'file_not_found', ...worktreeErrors],
  })
  getAttemptFile(@Input() input: ReviewedFileInput, @Caller() caller: Principal): Promise<FileOutput> {
    return this.artifacts.file(input, caller, restWording('get_attempt_file', input));
  }

  @Endpoint('POST attempts/:attempt_id/patch', {
    summary: 'Get the unified diff of selected paths.',
    scope: 'read',
    output: PatchOutput,
    errors: ['attempt_not_found', ...worktreeErrors],
  })
  getAttemptPatch(@Input() input: ReviewedPatchInput, @Caller() caller: Principal): Promise<PatchOutput> {
    return this.artifacts.patch(input, caller, restWording('get_attempt_patch', input));
  }

  @Endpoint('GET attempts/:attempt_id/diff.patch', {
    summary: 'Download the whole diff of a repository, as git apply takes it, binary files too.',
    scope: 'read',
    output: 'patch',
    errors: ['attempt_not_found', 'repo_not_found', 'diff_too_large', ...worktreeErrors],
  })
  async downloadDiff(@Input() input: DiffInput, @Caller() caller: Principal): Promise<StreamableFile> {
    const slices = await this.diffs.open(input, caller);
    const disposition = `attachment; filename="${input.attempt_id}.patch"`;
    return new StreamableFile(Readable.from(slices), { type: 'text/x-patch', disposition });
  }

  @Endpoint('GET attempts/:attempt_id/agent-state', {
    summary: 'Get what the agents of an attempt keep, such as conversations, as a tar.gz of files below a home folder.',
    scope: 'read',
    role: 'maintainer',
    output: 'archive',
    errors: ['attempt_not_found', 'agent_state_missing', 'agent_state_too_large', 'workspace_unavailable'],
  })
  async getAttemptAgentState(
    @Input() input: AgentStateInput,
    @Caller() caller: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    const archive = await this.artifacts.agentState(input, caller);
    const name = `agent-state-${input.attempt_id}.tar.gz`;
    void reply.type('application/gzip').header('content-disposition', `attachment; filename="${name}"`);
    return archive;
  }
}
