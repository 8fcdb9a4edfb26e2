import { randomUUID } from 'node:crypto';
import { asRefusal } from '../mcp/failure-report.js';
import type { CallContext, Toolset } from '../mcp/tool.js';
import { refuse, type ToolCalls, type ToolOutcome } from '../mcp/tool-invoker.js';
import { readOutcome } from '../toolsets/tool-outcome.js';
import { type ApiClient, refusalIn } from './api-client.js';

/** Tools that run in the API. Arguments are checked there too, so that every refusal is recorded in one place. */
export class ApiToolCalls implements ToolCalls {
  constructor(private readonly api: ApiClient) {}

  async invoke(toolset: Toolset, tool: string, args: unknown, context: CallContext): Promise<ToolOutcome> {
    try {
      const binding = context.attempt_id ? `?attempt_id=${context.attempt_id}` : '';
      const answer = await this.api.post(
        `/api/toolsets/${toolset.id}/tools/${tool}${binding}`,
        args,
        context.principal,
      );
      const outcome = readOutcome(answer);
      if (!outcome) throw refusalIn(answer);
      return outcome;
    } catch (error) {
      const call_id = context.call_id ?? randomUUID();
      return refuse(toolset, { tool, arguments: args }, asRefusal(error, call_id, tool), call_id);
    }
  }
}
