import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { StopAttemptInput, StopAttemptOutput } from '../../../orchestration/stop-attempt.dto.js';
import { StopAttemptService } from '../../../orchestration/stop-attempt.service.js';

@Injectable()
@Tool({
  name: 'stop_attempt',
  title: 'Stop an attempt',
  input: StopAttemptInput,
  output: StopAttemptOutput,
  effect: 'delete',
  scope: 'execute',
  forRuns: 'attempts',
  guide: {
    useWhen: 'You want to stop the running agent.',
    next: 'get_attempt_status',
    avoid: 'Stopping only to send another message; use follow_up with action=queue.',
  },
})
export class StopAttemptTool implements ToolHandler<StopAttemptInput, StopAttemptOutput> {
  constructor(private readonly stops: StopAttemptService) {}

  call(input: StopAttemptInput, { principal }: CallContext): Promise<StopAttemptOutput> {
    return this.stops.stop(input, principal);
  }
}
