import type { Json } from '../agent/json.js';

/** Our requests, each under its own fixed id: an answer alone then shows what it answers. They have no `jsonrpc`. */
const requestIds = {
  initialize: 1,
  'thread/start': 2,
  'thread/resume': 3,
  'turn/start': 4,
  'turn/interrupt': 5,
} as const;
export type CodexMethod = keyof typeof requestIds;

export interface CodexRequest {
  method: CodexMethod;
  params: Json;
}
export const requestMessage = ({ method, params }: CodexRequest): Json => ({ id: requestIds[method], method, params });

/** Which of our requests a message answers; null: it is none. */
export function answeredMethod(message: Json): CodexMethod | null {
  if (message.method !== undefined || message.id === undefined) return null;
  return (Object.keys(requestIds) as CodexMethod[]).find((method) => requestIds[method] === message.id) ?? null;
}
