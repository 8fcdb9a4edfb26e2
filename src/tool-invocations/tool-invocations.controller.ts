import { Controller } from '@nestjs/common';
import { Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { ToolInvocationLog } from './tool-invocation-log.js';
import { ToolUseInput, ToolUseOutput } from './tool-invocations.dto.js';
import { ToolInvocationsRepository } from './tool-invocations.repository.js';

const DAY_MS = 86_400_000;

@Controller('api/tool-invocations')
export class ToolInvocationsController {
  constructor(
    private readonly repository: ToolInvocationsRepository,
    private readonly log: ToolInvocationLog,
  ) {}

  @Endpoint('GET summary', {
    tag: 'tool-invocations',
    summary: 'List calls and refusals by tool.',
    scope: 'admin',
    output: ToolUseOutput,
  })
  async summariseToolUse(@Input() { days = 30 }: ToolUseInput): Promise<ToolUseOutput> {
    await this.log.flush();
    const since = new Date(Date.now() - days * DAY_MS);
    const tools = await this.repository.summarise(since);
    return {
      since: since.toISOString(),
      tools: tools.map((row) => ({
        ...row,
        calls: Number(row.calls),
        refusals: Number(row.refusals),
        median_ms: Math.round(row.median_ms),
      })),
    };
  }
}
