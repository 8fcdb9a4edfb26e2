import { failureKind, type ErrorKind, type Failure } from '../agent/failure.js';
import { numberOf, objectOf, parseObject, textOf, type Json } from '../agent/json.js';

/** The protocol's code for "log in first". */
export const AUTH_REQUIRED = -32000;
const NOT_FOUND = -32002;
/** Invalid request, unknown method, invalid parameters: the two sides do not understand each other. */
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
