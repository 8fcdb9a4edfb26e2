import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { AttemptStatusInput, AttemptStatusOutput } from '../../../attempts/attempt.dto.js';
import { AttemptsService } from '../../../attempts/attempts.service.js';

@Injectable()
@Tool({
  name: 'get_attempt_status',
  title: 'Get attempt status',
  input: AttemptStatusInput,
  output: AttemptStatusOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want to know whether an attempt is running, completed or failed, and what the agent answered.',
    next: 'tail_attempt_logs',
    avoid: 'Calling it in a tight loop; pass wait_ms.',
  },
})
export class GetAttemptStatusTool implements ToolHandler<AttemptStatusInput, AttemptStatusOutput> {
  constructor(private readonly attempts: AttemptsService) {}

  call(input: AttemptStatusInput, { principal }: CallContext): Promise<AttemptStatusOutput> {
    return this.attempts.status(input, principal);
  }
}
