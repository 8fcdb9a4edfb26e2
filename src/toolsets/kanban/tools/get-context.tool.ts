import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ContextInput, ContextOutput } from '../../../attempts/attempt.dto.js';
import { AttemptsService } from '../../../attempts/attempts.service.js';

@Injectable()
@Tool({
  name: 'get_context',
  title: 'Get your own context',
  input: ContextInput,
  output: ContextOutput,
  effect: 'read',
  scope: 'read',
  needsAttempt: true,
  guide: {
    useWhen: 'You are working inside an attempt and need its project, task, branch and repositories.',
    next: 'get_attempt_changes',
    avoid: 'Calling it repeatedly; only task_status ever changes.',
  },
})
export class GetContextTool implements ToolHandler<ContextInput, ContextOutput> {
  constructor(private readonly attempts: AttemptsService) {}

  call(_: ContextInput, { principal, attempt_id }: CallContext): Promise<ContextOutput> {
    return this.attempts.context(attempt_id!, principal);
  }
}
