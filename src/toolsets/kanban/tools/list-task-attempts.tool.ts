import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ListAttemptsInput, ListAttemptsOutput } from '../../../attempts/attempt.dto.js';
import { AttemptsService } from '../../../attempts/attempts.service.js';

@Injectable()
@Tool({
  name: 'list_task_attempts',
  title: 'List attempts',
  input: ListAttemptsInput,
  output: ListAttemptsOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You need the attempt_id of previous work on a task.',
    next: 'get_attempt_status',
    avoid: 'Starting a new attempt when a follow_up on the latest one would do.',
  },
})
export class ListTaskAttemptsTool implements ToolHandler<ListAttemptsInput, ListAttemptsOutput> {
  constructor(private readonly attempts: AttemptsService) {}

  call(input: ListAttemptsInput, { principal }: CallContext): Promise<ListAttemptsOutput> {
    return this.attempts.list(input, principal);
  }
}
