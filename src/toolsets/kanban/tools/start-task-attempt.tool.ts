import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { StartAttemptInput, StartedAttemptOutput } from '../../../orchestration/attempt-start.dto.js';
import { StartAttemptService } from '../../../orchestration/start-attempt.service.js';

@Injectable()
@Tool({
  name: 'start_task_attempt',
  title: 'Start an attempt',
  input: StartAttemptInput,
  output: StartedAttemptOutput,
  effect: 'execute',
  scope: 'execute',
  forRuns: 'attempts',
  guide: {
    useWhen: 'You want a coding agent to work on a task on a new branch.',
    next: 'get_attempt_status',
    avoid: 'Repeating the task text in follow_up; the agent already has it.',
  },
})
export class StartTaskAttemptTool implements ToolHandler<StartAttemptInput, StartedAttemptOutput> {
  constructor(private readonly attempts: StartAttemptService) {}

  call(input: StartAttemptInput, { principal }: CallContext): Promise<StartedAttemptOutput> {
    return this.attempts.start(input, principal);
  }
}
