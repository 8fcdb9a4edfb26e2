import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.js';
import { LONG_TEXT, turnForLongWork } from '../process/long-work.js';

/** Values of a body, over all levels. Parsing 300 000 keys would block the event loop for 250 ms. */
export const MAX_BODY_VALUES = 20_000;
const [QUOTE, COMMA, OPENING_BRACKET, BACKSLASH, OPENING_BRACE] = [0x22, 0x2c, 0x5b, 0x5c, 0x7b];

/** Bodies are JSON only: other types are those that foreign pages can send without a preflight. Values are counted as
 *  they arrive, so that a flood is refused early. Keys that reach for prototypes are refused. */
export function readJsonBodies(server: FastifyInstance): void {
  server.removeContentTypeParser('text/plain');
  const parse = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length <= LONG_TEXT) return void parse(request, body, done);
    void turnForLongWork().then(() => parse(request, body, done));
  });
  server.addHook('preParsing', (request, _reply, body, done) => {
    if (!isShort(request) && !request.routeOptions.config.takesLines) refuseFlood(body);
    done(null, body);
  });
}

/** A value has at least one byte: a body that announces so few bytes need not be counted. */
const isShort = ({ headers }: FastifyRequest): boolean => Number(headers['content-length']) <= MAX_BODY_VALUES;

/** Only watches; destroying the stream makes its reader fail. */
function refuseFlood(body: Readable): void {
  const counter = new ValueCounter();
  const count = (chunk: Buffer) => {
    counter.add(chunk);
    if (counter.values <= MAX_BODY_VALUES) return;
    body.off('data', count);
    body.emit('error', tooManyValues());
  };
  body.on('data', count);
}

function tooManyValues(): AppError {
  const message = `body must hold at most ${MAX_BODY_VALUES} values`;
  return new AppError('invalid_argument', { summary: message, fields: [{ field: 'body', message }] });
}

/** Counts the values of JSON that arrives in parts: all but the first of a list or object follow a comma. Strings are
 *  skipped. No other UTF-8 character contains one of these bytes. */
export class ValueCounter {
  values = 0;
  private isInText = false;
  private isEscaped = false;

  add(part: Buffer): void {
    let { values, isInText, isEscaped } = this; // fields would make it half as fast again, and bodies have megabytes
    for (let at = 0; at < part.length; at += 1) {
      const byte = part[at];
      if (isEscaped) isEscaped = false;
      else if (byte === QUOTE) isInText = !isInText;
      else if (isInText) isEscaped = byte === BACKSLASH;
      else if (byte === COMMA || byte === OPENING_BRACKET || byte === OPENING_BRACE) values += 1;
    }
    Object.assign(this, { values, isInText, isEscaped });
  }
}
