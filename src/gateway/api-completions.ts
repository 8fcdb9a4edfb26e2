import { CompletionSource } from '../mcp/completion-source.js';
import type { CallContext, Toolset } from '../mcp/tool.js';
import { isRecord } from '../platform/fields/normalise.js';
import { type ApiClient, parseJson, refusalIn } from './api-client.js';

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
