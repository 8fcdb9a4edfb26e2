import { failureKind, type ErrorKind, type Failure } from '../agent/failure.js';
import { isObject, numberOf, objectOf, textOf, type Json } from '../agent/json.js';
import type { NormalizedEntry } from '../log-entry.js';

const named: Record<string, ErrorKind> = {
  unauthorized: 'bad_key',
  usageLimitExceeded: 'rate_limited',
  rateLimitExceeded: 'rate_limited',
  serverOverloaded: 'rate_limited',
  tooManyDenials: 'denied',
};

/** The kind of a turn's error: by name, by the status of the model server, or by its text. */
export function codexFailure(error: Json): Failure {
  const info = error.codexErrorInfo;
  const status = isObject(info)
    ? (Object.values(info)
        .map((one) => numberOf(objectOf(one).httpStatusCode))
        .find((one) => one !== null) ?? null)
    : null;
  const message = messageOf(error);
  const byText = failureKind(message, status);
  return { kind: byText === 'model_error' ? (named[textOf(info)] ?? byText) : byText, message };
}

const messageOf = (error: Json): string =>
  [textOf(error.message), textOf(error.additionalDetails)].filter(Boolean).join('\n') || 'error without a message';

/** `Reconnecting... 2/5` → `retrying 2/5`, with the status where there is one. */
export function retryEntry(error: Json): NormalizedEntry {
  const said = messageOf(error);
  const [count] = /\d+\/\d+/.exec(said) ?? [''];
  const [status] = /\b[45]\d\d\b/.exec(`${said} ${JSON.stringify(error.codexErrorInfo ?? '')}`) ?? [''];
  return {
    type: 'system_message',
    content: [`retrying ${count}`.trim(), status].filter(Boolean).join(', '),
    metadata: { kind: 'retry', message: said },
  };
}
