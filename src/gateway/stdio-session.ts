import type { IncomingHttpHeaders } from 'node:http';
import type { EndpointChoice } from '../mcp/mcp-endpoint.js';
import type { Dispatcher } from '../mcp/protocol/dispatcher.js';
import { encodeError, rpcCodes } from '../mcp/protocol/json-rpc.js';
import type { Toolset } from '../mcp/tool.js';
import { AppError } from '../platform/errors/app-error.js';
import { toEnvelope } from '../platform/errors/error-envelope.js';
import { isRecord } from '../platform/fields/normalise.js';
import { type ApiCaller, apiCaller } from './api-client.js';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** The headers an HTTP client would send with a message, which revision 2026-07-28 compares with the body. */
export function headersFor(message: unknown): IncomingHttpHeaders {
  const { method, params } = isRecord(message) ? message : {};
  if (typeof method !== 'string' || !isRecord(params)) return {};
  const { _meta, name, uri } = params;
  const version = isRecord(_meta) ? _meta[VERSION_KEY] : undefined;
  if (typeof version !== 'string') return {};
  const target = method === 'resources/read' ? uri : name;
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof target === 'string' ? { 'mcp-name': encodeHeader(target) } : {}),
  };
}

/** Encoded always, so that no text is trimmed or misread as an encoding. */
const encodeHeader = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

/** Yields what to send with a message; a token that ends is another one later. */
export type TokenSource = () => string | Promise<string>;

/** One client at the other end of a pipe: it started this process, so it calls with the process's token. */
export class StdioSession {
  constructor(
    private readonly toolset: Toolset,
    private readonly dispatcher: Dispatcher,
    private readonly choice: EndpointChoice,
    private readonly token: TokenSource,
  ) {}

  /** @returns the line to send back, or null where there is none */
  async answer(line: string): Promise<string | null> {
    if (line.trim() === '') return null;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return this.refuseLine();
    }
    const { attempt_id, project_id } = this.choice;
    const context = { principal: await this.caller(), attempt_id, project_id };
    const { body } = await this.dispatcher.answer(message, headersFor(message), this.choice, context);
    return body === null || typeof body === 'string' ? body : `${body.head}${body.rest.toString()}`;
  }

  /** Without a token where none can be had: the server says then what to do. */
  private async caller(): Promise<ApiCaller> {
    const token = await Promise.resolve(this.token()).catch((error: unknown) => {
      console.error(`taskyard: ${(error as Error).message}`);
      return '';
    });
    return apiCaller({ authorization: token && `Bearer ${token}` });
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
