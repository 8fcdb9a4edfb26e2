/** What an MCP endpoint needs from the server, over the API. */
import { randomUUID } from 'node:crypto';
import { SERVER_INFO } from '../config/version.js';
import { Dispatcher } from '../mcp/protocol/dispatcher.js';
import { AttemptBinding, CompletionSource, type Offer, Offers } from '../mcp/providers.js';
import { asRefusal, refuse, type ToolCalls, type ToolOutcome } from '../mcp/tool-invoker.js';
import type { CallContext, Toolset } from '../mcp/tool.js';
import type { Principal } from '../platform/access/principal.js';
import { SCOPES } from '../platform/access/scopes.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { isRecord } from '../platform/fields/normalise.js';
import type { OfferOutput } from '../toolsets/tool-calls.dto.js';
import { readOutcome } from '../toolsets/tool-outcome.js';
import { type ApiClient, parseJson, refusalIn } from './api-client.js';

/** Tools that run in the API. Arguments are checked there too, so that every refusal is recorded in one place. */
class ApiToolCalls implements ToolCalls {
  constructor(private readonly api: ApiClient) {}

  async invoke(toolset: Toolset, tool: string, args: unknown, context: CallContext): Promise<ToolOutcome> {
    try {
      const answer = await this.api.post(
        `/api/toolsets/${toolset.id}/tools/${tool}${queryOf(context)}`,
        args,
        context.principal,
      );
      const outcome = readOutcome(answer);
      if (!outcome) throw refusalIn(answer);
      return outcome;
    } catch (error) {
      return refuse(toolset, { tool, arguments: args }, asRefusal(error, context.call_id ?? randomUUID(), tool));
    }
  }
}

function queryOf({ attempt_id, project_id }: CallContext): string {
  const given = Object.entries({ attempt_id, project_id }).flatMap(([name, id]) => (id ? `${name}=${id}` : []));
  return given.length > 0 ? `?${given.join('&')}` : '';
}

/** While the server is away, nobody knows what it offers: a client that lists tools then must not forget any. */
const everything: Offer = { scopes: SCOPES, run: null, hasForge: true, hasChecks: true };

/** What the server that is called offers to the caller. */
class ApiOffers extends Offers {
  constructor(private readonly api: ApiClient) {
    super();
  }

  async of(principal: Principal): Promise<Offer> {
    try {
      return await this.ask(principal);
    } catch (error) {
      if (toAppError(error)?.code === 'api_unavailable') return everything;
      throw error;
    }
  }

  private async ask(principal: Principal): Promise<Offer> {
    const answer = await this.api.get('/api/toolsets/offer', principal);
    const body = parseJson(answer.text);
    if (answer.status !== 200 || !isRecord(body) || !isTexts(body.scopes)) throw refusalIn(answer);
    const { scopes, run, has_forge, has_checks } = body as unknown as OfferOutput;
    return { scopes, run, hasForge: has_forge, hasChecks: has_checks };
  }
}

/** Completions of one toolset, from the API. */
class ApiCompletions extends CompletionSource {
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

/** A dispatcher whose tools run in the API. */
export const apiDispatcher = (api: ApiClient, toolset: Toolset): Dispatcher =>
  new Dispatcher(toolset, SERVER_INFO, new ApiToolCalls(api), new ApiCompletions(api, toolset), new ApiOffers(api));
