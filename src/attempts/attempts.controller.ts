import { Controller, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Principal } from '../platform/access/principal.js';
import type { ErrorCode } from '../platform/errors/error-catalogue.js';
import { restNames } from '../platform/errors/operations.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import {
  AgentStateInput,
  ChangesInput,
  ChangesOutput,
  FileInput,
  FileOutput,
  PatchInput,
  PatchOutput,
} from './artifact.dto.js';
import { ArtifactsService } from './artifacts.service.js';
import { AttemptStatusInput, AttemptStatusOutput, ListAttemptsInput, ListAttemptsOutput } from './attempt.dto.js';
import { AttemptsService } from './attempts.service.js';

/** A worktree that housekeeping removed is prepared again, which may be refused like a start. */
export const worktreeErrors: ErrorCode[] = [
  'workspace_not_ready',
  'workspace_lost',
  'workspace_unavailable',
  'repo_invalid',
  'branch_unknown',
  'repo_locked',
  'git_failed',
  'storage_full',
];

@ApiTags('attempts')
@Controller('api')
export class AttemptsController {
  constructor(
    private readonly attempts: AttemptsService,
    private readonly artifacts: ArtifactsService,
  ) {}

  @Endpoint('GET tasks/:task_id/attempts', {
    summary: 'List the attempts of a task, newest first.',
    scope: 'read',
    output: ListAttemptsOutput,
    errors: ['task_not_found'],
  })
  listTaskAttempts(@Input() input: ListAttemptsInput, @Caller() caller: Principal): Promise<ListAttemptsOutput> {
    return this.attempts.list(input, caller);
  }

  @Endpoint('GET attempts/:attempt_id', {
    summary: 'Get the status of an attempt; wait_ms waits for its end.',
    scope: 'read',
    output: AttemptStatusOutput,
    errors: ['attempt_not_found', 'too_many_streams'],
  })
  getAttemptStatus(@Input() input: AttemptStatusInput, @Caller() caller: Principal): Promise<AttemptStatusOutput> {
    return this.attempts.status(input, caller);
  }

  @Endpoint('GET attempts/:attempt_id/changes', {
    summary: 'Summarize the changes of an attempt.',
    scope: 'read',
    output: ChangesOutput,
    errors: ['attempt_not_found', ...worktreeErrors],
  })
  getAttemptChanges(@Input() input: ChangesInput, @Caller() caller: Principal): Promise<ChangesOutput> {
    return this.artifacts.changes(input, caller, restNames);
  }

  @Endpoint('GET attempts/:attempt_id/file', {
    summary: 'Read part of a file of an attempt.',
    scope: 'read',
    output: FileOutput,
    errors: ['attempt_not_found', 'file_not_found', ...worktreeErrors],
  })
  getAttemptFile(@Input() input: FileInput, @Caller() caller: Principal): Promise<FileOutput> {
    return this.artifacts.file(input, caller, restNames);
  }

  @Endpoint('POST attempts/:attempt_id/patch', {
    summary: 'Get the unified diff of selected paths.',
    scope: 'read',
    output: PatchOutput,
    errors: ['attempt_not_found', ...worktreeErrors],
  })
  getAttemptPatch(@Input() input: PatchInput, @Caller() caller: Principal): Promise<PatchOutput> {
    return this.artifacts.patch(input, caller, restNames);
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
