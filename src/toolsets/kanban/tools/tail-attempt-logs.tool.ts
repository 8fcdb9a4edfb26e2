import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { TailLogsInput, TailLogsOutput } from '../../../executions/log.dto.js';
import { LogsService } from '../../../executions/logs.service.js';

@Injectable()
@Tool({
  name: 'tail_attempt_logs',
  title: 'Read the log of an attempt',
  input: TailLogsInput,
  output: TailLogsOutput,
  effect: 'read',
  guide: {
    useWhen: 'You want to see what the agent says and does.',
    next: 'get_attempt_changes',
    avoid:
      'Mixing cursor (older) with after_entry_index (newer); ' +
      'reading the tail again instead of passing next_after_entry_index.',
  },
})
export class TailAttemptLogsTool implements ToolHandler<TailLogsInput, TailLogsOutput> {
  constructor(private readonly logs: LogsService) {}

  call(input: TailLogsInput, { principal }: CallContext): Promise<TailLogsOutput> {
    return this.logs.tail(input, principal);
  }
}
