import type { Json } from '../agent/json.js';

/** Our requests, each under its own fixed id: an answer alone then shows what it answers. */
const requestIds = {
  initialize: 1,
  authenticate: 2,
  'session/new': 3,
  'session/resume': 4,
  'session/load': 5,
  'session/set_mode': 6,
  'session/prompt': 7,
} as const;
export type AcpMethod = keyof typeof requestIds;

export interface AcpRequest {
  method: AcpMethod;
  params: Json;
}
export const requestMessage = ({ method, params }: AcpRequest): Json => ({
  jsonrpc: '2.0',
  id: requestIds[method],
  method,
  params,
});

/** Which of our requests a message answers; null: it is none. */
export function answeredMethod(message: Json): AcpMethod | null {
  if (message.method !== undefined || message.id === undefined) return null;
  return (Object.keys(requestIds) as AcpMethod[]).find((method) => requestIds[method] === message.id) ?? null;
}

export const notification = (method: string, params: Json): Json => ({ jsonrpc: '2.0', method, params });
export const reply = (id: unknown, result: Json): Json => ({ jsonrpc: '2.0', id, result });
export const refusal = (id: unknown, method: string): Json => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32601, message: `Method not found: ${method}` },
});
