import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors/app-error.js';

/** Values of a body at all its levels together. To read 300 000 keys would hold everybody up for a quarter of a
 *  second. */
export const MAX_BODY_VALUES = 20_000;
const [QUOTE, COMMA, OPENING_BRACKET, BACKSLASH, OPENING_BRACE] = [0x22, 0x2c, 0x5b, 0x5c, 0x7b];

/** Bodies are JSON alone: other types are what foreign pages may send unasked. Their values are counted while they
 *  arrive, and a flood is refused before its end. */
export function readJsonBodies(server: FastifyInstance): void {
  server.removeContentTypeParser('text/plain');
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    server.getDefaultJsonParser('remove', 'remove'),
  );
  server.addHook('preParsing', (_request, _reply, body, done) => {
    refuseFlood(body);
    done(null, body);
  });
}

/** Only looks on: who reads the body takes the error for its end. */
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

/** Values of a JSON text that comes in parts: each but the first of a list or object follows a comma. What stands in a
 *  text counts for nothing. In UTF-8 no other character holds one of these bytes. */
export class ValueCounter {
  values = 0;
  private isInText = false;
  private isEscaped = false;

  add(part: Buffer): void {
    for (const byte of part) {
      if (this.isEscaped) this.isEscaped = false;
      else if (this.isInText) this.inText(byte);
      else if (byte === QUOTE) this.isInText = true;
      else if (byte === COMMA || byte === OPENING_BRACKET || byte === OPENING_BRACE) this.values += 1;
    }
  }

  private inText(byte: number): void {
    if (byte === QUOTE) this.isInText = false;
    else if (byte === BACKSLASH) this.isEscaped = true;
  }
}
