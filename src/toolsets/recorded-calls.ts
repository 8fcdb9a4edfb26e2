import { Injectable } from '@nestjs/common';
import { AccessWatch, isOverreaching } from '../platform/access/access-watch.js';
import { ToolInvocationLog } from '../tool-invocations/tool-invocation-log.js';
import { toolCalls, toolDuration } from '../platform/telemetry/metrics.js';
import { InvocationSink, type InvocationStart } from '../mcp/providers.js';

/** Records every tool call of every dialect, including reads and refusals. */
@Injectable()
export class RecordedCalls extends InvocationSink {
  constructor(
    private readonly log: ToolInvocationLog,
    private readonly watch: AccessWatch,
  ) {
    super();
  }

  enter({ toolset, tool, context }: InvocationStart): (code: string | null) => void {
    const called_at = Date.now();
    const startedAt = performance.now();
    return (code) => {
      const duration_ms = performance.now() - startedAt;
      toolCalls.inc({ toolset, tool, code: code ?? 'ok' });
      toolDuration.observe({ toolset, tool }, duration_ms / 1_000);
      const { id, actor } = context.principal;
      if (code !== null && isOverreaching(code)) this.watch.overreached(context.principal, code, tool);
      this.log.add({
        toolset,
        tool,
        principal_id: id,
        actor: actor.name,
        code,
        duration_ms,
        called_at,
      });
    };
  }
}
