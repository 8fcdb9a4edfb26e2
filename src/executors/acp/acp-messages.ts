import { type ErrorKind, type Failure, failureKind } from '../agent/failure.js';
import { type Json, numberOf, objectOf, parseObject, textOf } from '../agent/json.js';

/** Our requests have fixed ids, so that an answer alone shows its request. */
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

/** Which of our requests a message answers; null if it answers none. */
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

/** The protocol's code for "log in first". */
export const AUTH_REQUIRED = -32000;
const NOT_FOUND = -32002;
/** Invalid request, unknown method, invalid parameters: faults of the protocol, not of the agent. */
const OURS = new Set<number | null>([-32600, -32601, -32602]);

/** What an error answer means. Agents hide the reason in the message, in JSON inside the message, or in the data. */
export function acpFailure(answer: Json): Failure | null {
  if (answer.error === undefined) return null;
  const error = objectOf(answer.error);
  const details = detailsOf(error.data);
  const message = [messageOf(error), details].filter(Boolean).join(': ') || 'error without a message';
  return {
    kind: kindOf(numberOf(error.code), `${message} ${textOf(objectOf(error.data).errorKind)}`, details),
    message,
  };
}

function kindOf(code: number | null, text: string, details: string): ErrorKind {
  if (code === AUTH_REQUIRED) return 'login_missing';
  if (code === NOT_FOUND) return 'session_lost';
  const status = code !== null && code >= 400 && code < 600 ? code : leadingStatus(details);
  return failureKind(text, status, OURS.has(code) ? 'protocol' : 'model_error');
}

const messageOf = ({ message }: Json): string =>
  textOf(objectOf(parseObject(textOf(message))?.error).message) || textOf(message);
const detailsOf = (data: unknown): string =>
  textOf(objectOf(data).details) || textOf(objectOf(data).message) || textOf(data);
const leadingStatus = (text: string): number | null => (/^[45]\d\d\b/.test(text) ? Number(text.slice(0, 3)) : null);
