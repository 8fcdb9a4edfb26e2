import type { IncomingHttpHeaders } from 'node:http';
import type { ToolsetView } from '../catalogue/toolset-catalogue.js';
import type { RpcError, RpcMessage } from './json-rpc.js';

/** Who the server says it is. */
export interface ServerInfo {
  name: string;
  title: string;
  version: string;
}

/** One generation of protocol revisions: how a request is admitted and how an answer is decorated.
 *  Nothing below knows which. */
export interface Era {
  /** Methods beside `opening`. */
  readonly methods: ReadonlySet<string>;
  /** The method a client begins with. */
  readonly opening: string;
  /** Result of the opening method, before decoration. @throws RpcError */
  open(params: Record<string, unknown>, view: ToolsetView, server: ServerInfo): object;
  /** @throws RpcError where headers and body break the rules of the revision. */
  admit(message: RpcMessage, headers: IncomingHttpHeaders): void;
  /** Result JSON with what the revision adds to the results of a method. */
  decorate(method: string, resultJson: string, server: ServerInfo): string;
  /** Code and HTTP status of an error as the revision knows them. */
  refuse(error: RpcError): { code: number; status: number };
}

/** Methods of both eras. */
export const commonMethods = [
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
] as const;

/** A header that must not repeat; Node joins repeated ones, which then match nothing. */
export function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value?.trim();
}
