import { isRecord } from '../../platform/fields/normalise.js';

export type RpcId = string | number;
export type RpcMessage =
  | { kind: 'request'; id: RpcId; method: string; params: Record<string, unknown> }
  | { kind: 'notification'; method: string; params: Record<string, unknown> }
  | { kind: 'response' };
export type RpcRequest = Extract<RpcMessage, { kind: 'request' }>;

export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  resourceNotFound: -32002,
  badTransport: -32000,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** A breach of the protocol. `data` holds facts and a hint, `status` is the HTTP status of an answer that is not in
 *  band. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: object,
    readonly status = 200,
  ) {
    super(message);
  }
}

/** @throws RpcError with status 400 where the body is not one JSON-RPC message. */
export function decodeMessage(body: unknown): RpcMessage {
  if (Array.isArray(body))
    throw invalid('Batches are not part of the protocol since 2025-06-18: send one message for each POST.');
  if (!isRecord(body) || body.jsonrpc !== '2.0') throw invalid('The body must be one JSON-RPC 2.0 message.');
  if (body.method === undefined && ('result' in body || 'error' in body)) return { kind: 'response' };
  return decodeCall(body);
}

function decodeCall({ method, id, params = {} }: Record<string, unknown>): RpcMessage {
  if (typeof method !== 'string') throw invalid('method must be a string.');
  if (id !== undefined && !isId(id)) throw invalid('id must be a string or an integer.');
  if (!isRecord(params)) throw new RpcError(rpcCodes.invalidParams, 'params must be an object.', undefined, 400);
  return id === undefined ? { kind: 'notification', method, params } : { kind: 'request', id, method, params };
}

/** Id to answer an undecodable message with. */
export const idOf = (body: unknown): RpcId | null => (isRecord(body) && isId(body.id) ? body.id : null);

const opening = (id: RpcId): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
export const encodeResult = (id: RpcId, resultJson: string): string => `${opening(id)}${resultJson}}`;

/** An answer with a ready result: only the head is made per call, because encoding or copying 60 KB of text costs more
 *  than the rest of the call. */
export interface ReadyAnswer {
  head: string;
  rest: Buffer;
}
export const encodeReady = (resultJson: string): Buffer => Buffer.from(`${resultJson}}`);
export const completeReady = (id: RpcId, rest: Buffer): ReadyAnswer => ({ head: opening(id), rest });

export function encodeError(
  id: RpcId | null,
  { code, message, data }: Pick<RpcError, 'code' | 'message' | 'data'>,
): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data ? { data } : {}) } });
}

const isId = (id: unknown): id is RpcId => typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id));
const invalid = (message: string) => new RpcError(rpcCodes.invalidRequest, message, undefined, 400);
