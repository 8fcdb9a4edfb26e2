import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ContextInput, ContextOutput } from '../../../attempts/attempt.dto.js';
import { AttemptsService } from '../../../attempts/attempts.service.js';

@Injectable()
@Tool({
  name: 'get_context',
  title: 'Show where you work',
  input: ContextInput,
  output: ContextOutput,
  effect: 'read',
  needsAttempt: true,
  guide: {
    useWhen: 'You run inside an attempt and want its project, task, branch and repositories.',
    next: 'get_attempt_changes',
    avoid: 'Calling it twice; only task_status changes.',
  },
})
export class GetContextTool implements ToolHandler<ContextInput, ContextOutput> {
  constructor(private readonly attempts: AttemptsService) {}

  call(_: ContextInput, { principal, attempt_id }: CallContext): Promise<ContextOutput> {
    return this.attempts.context(attempt_id!, principal);
  }
}
