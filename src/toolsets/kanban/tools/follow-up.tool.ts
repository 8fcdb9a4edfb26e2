import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { FollowUpInput, FollowUpOutput } from '../../../orchestration/follow-up.dto.js';
import { FollowUpService } from '../../../orchestration/follow-up.service.js';

@Injectable()
@Tool({
  name: 'follow_up',
  title: 'Send a follow-up message',
  input: FollowUpInput,
  output: FollowUpOutput,
  effect: 'execute',
  scope: 'execute',
  forRuns: 'attempts',
  guide: {
    useWhen: 'You want to send, queue or cancel a message for the agent of an attempt.',
    next: 'get_attempt_status',
    avoid:
      'Passing both attempt_id and session_id; action=send during a run (use queue); ' +
      'using it to stop a run (use stop_attempt).',
  },
})
export class FollowUpTool implements ToolHandler<FollowUpInput, FollowUpOutput> {
  constructor(private readonly followUps: FollowUpService) {}

  call(input: FollowUpInput, { principal }: CallContext): Promise<FollowUpOutput> {
    return this.followUps.followUp(input, principal);
  }
}
