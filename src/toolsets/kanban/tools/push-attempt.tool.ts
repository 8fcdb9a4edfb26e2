import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { PushAttemptInput, PushAttemptOutput } from '../../../orchestration/push-attempt.dto.js';
import { PushAttemptService } from '../../../orchestration/push-attempt.service.js';

@Injectable()
@Tool({
  name: 'push_attempt',
  title: 'Push an attempt',
  input: PushAttemptInput,
  output: PushAttemptOutput,
  effect: 'execute',
  idempotent: true,
  scope: 'deliver',
  forRuns: 'own',
  guide: {
    useWhen: 'You want the branch of an attempt on its remote, where others can see it.',
    next: 'get_attempt_delivery',
    avoid: 'Passing overwrite without having read what is there.',
  },
})
export class PushAttemptTool implements ToolHandler<PushAttemptInput, PushAttemptOutput> {
  constructor(private readonly pushes: PushAttemptService) {}

  call(input: PushAttemptInput, { principal }: CallContext): Promise<PushAttemptOutput> {
    return this.pushes.push(input, principal);
  }
}
