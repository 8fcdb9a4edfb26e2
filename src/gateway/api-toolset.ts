/** What an MCP endpoint needs from the server, over the API. */
import { randomUUID } from 'node:crypto';
import { AttemptBinding, CompletionSource } from '../mcp/providers.js';
import { asRefusal, refuse, type ToolCalls, type ToolOutcome } from '../mcp/tool-invoker.js';
import type { CallContext, Toolset } from '../mcp/tool.js';
import type { Principal } from '../platform/access/principal.js';
import { isRecord } from '../platform/fields/normalise.js';
import { readOutcome } from '../toolsets/tool-outcome.js';
import { type ApiClient, parseJson, refusalIn } from './api-client.js';

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

/** Completions of one toolset, from the API. */
export class ApiCompletions extends CompletionSource {
  constructor(
    private readonly api: ApiClient,
    private readonly toolset: Toolset,
  ) {
    super();
  }

  async complete(
    argument: string,
    value: string,
    context: Readonly<Record<string, string>>,
    { principal }: CallContext,
  ): Promise<string[]> {
    const answer = await this.api.post(
      `/api/toolsets/${this.toolset.id}/completions`,
      { argument, value, context },
      principal,
    );
    const body = parseJson(answer.text);
    if (answer.status !== 200 || !isRecord(body) || !isTexts(body.values)) throw refusalIn(answer);
    return body.values;
  }
}

const isTexts = (values: unknown): values is string[] =>
  Array.isArray(values) && values.every((value) => typeof value === 'string');

/** An endpoint may be bound to an attempt that the API shows to the caller. */
export class ApiAttemptBinding extends AttemptBinding {
  constructor(private readonly api: ApiClient) {
    super();
  }

  async check(attempt_id: string, principal: Principal): Promise<void> {
    const answer = await this.api.get(`/api/attempts/${attempt_id}`, principal);
    const body = parseJson(answer.text);
    if (answer.status !== 200 || !isRecord(body) || body.attempt_id !== attempt_id) throw refusalIn(answer);
  }
}
