import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { TailLogsInput, TailLogsOutput } from '../../../executions/log.dto.js';
import { LogsService } from '../../../executions/logs.service.js';

@Injectable()
@Tool({
  name: 'tail_attempt_logs',
  title: 'Tail attempt logs',
  input: TailLogsInput,
  output: TailLogsOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want to see what the agent is saying and doing.',
    next: 'get_attempt_changes',
    avoid:
      'Passing both cursor (older) and after_entry_index (newer); ' +
      're-reading the tail instead of passing next_after_entry_index.',
  },
})
export class TailAttemptLogsTool implements ToolHandler<TailLogsInput, TailLogsOutput> {
  constructor(private readonly logs: LogsService) {}

  call(input: TailLogsInput, { principal }: CallContext): Promise<TailLogsOutput> {
    return this.logs.tail(input, principal);
  }
}
