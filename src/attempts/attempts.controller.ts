import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import type { ErrorCode } from '../platform/errors/error-catalogue.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
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
  constructor(private readonly attempts: AttemptsService) {}

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
}
