import { failureKind, type ErrorKind } from '../agent/failure.js';
import { numberOf, objectOf, parseObject, textOf, type Json } from '../agent/json.js';

/** The protocol's code for "log in first". */
export const AUTH_REQUIRED = -32000;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INVALID_REQUEST = -32600;
const NOT_FOUND = -32002;

export interface AcpFailure { kind: ErrorKind; message: string }

/** What an error answer means. Agents hide the reason in the message, in JSON inside the message, or in the data. */
export function acpFailure(answer: Json): AcpFailure | null {
  if (answer.error === undefined) return null;
  const { code, message, data } = objectOf(answer.error);
  const nested = textOf(objectOf(parseObject(textOf(message))?.error).message) || textOf(message);
  const details = textOf(objectOf(data).details) || textOf(objectOf(data).message) || textOf(data);
  const text = [nested, details].filter(Boolean).join(': ') || 'error without a message';
  const number = numberOf(code);
  if (number === AUTH_REQUIRED) return { kind: 'login_missing', message: text };
  const status = number !== null && number >= 400 && number < 600 ? number : null;
  const isOurs = number === METHOD_NOT_FOUND || number === INVALID_PARAMS || number === INVALID_REQUEST;
  const kind = failureKind(`${text} ${textOf(objectOf(data).errorKind)}`, status ?? leadingStatus(details), isOurs ? 'protocol' : 'model_error');
  return { kind: number === NOT_FOUND ? 'session_lost' : kind, message: text };
}

const leadingStatus = (text: string): number | null => (/^[45]\d\d\b/.test(text) ? Number(text.slice(0, 3)) : null);
