import type { EndpointChoice } from '../mcp/endpoint-query.js';
import type { Dispatcher } from '../mcp/protocol/dispatcher.js';
import { encodeError, rpcCodes } from '../mcp/protocol/json-rpc.js';
import type { Toolset } from '../mcp/tool.js';
import { AppError } from '../platform/errors/app-error.js';
import { toEnvelope } from '../platform/errors/error-envelope.js';
import { type ApiCaller, apiCaller } from './api-caller.js';
import { headersFor } from './message-headers.js';

/** One client on the other end of a pipe: it owns this process, so it calls with the process's own token. */
export class StdioSession {
  private readonly principal: ApiCaller;

  constructor(
    private readonly toolset: Toolset,
    private readonly dispatcher: Dispatcher,
    private readonly choice: EndpointChoice,
    token: string,
  ) {
    this.principal = apiCaller({ authorization: token && `Bearer ${token}` });
  }

  /** @returns the line to send back, or null where there is none */
  async answer(line: string): Promise<string | null> {
    if (line.trim() === '') return null;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return this.refuseLine();
    }
    const { body } = await this.dispatcher.answer(message, headersFor(message), this.choice, {
      principal: this.principal,
      attempt_id: this.choice.attempt_id,
    });
    return body === null || typeof body === 'string' ? body : `${body.head}${body.rest.toString()}`;
  }

  private refuseLine(): string {
    const error = new AppError(
      'malformed_body',
      {},
      'Send one JSON-RPC message a line, without line breaks inside it.',
    );
    return encodeError(null, {
      code: rpcCodes.parseError,
      message: error.message,
      data: toEnvelope(error, this.toolset.operationNames),
    });
  }
}
