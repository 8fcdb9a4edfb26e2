import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors/app-error.js';

/** Values of a body at all its levels together. To read 300 000 keys would hold everybody up for a quarter of a
 *  second. */
export const MAX_BODY_VALUES = 20_000;
const [QUOTE, COMMA, OPENING_BRACKET, BACKSLASH, OPENING_BRACE] = [0x22, 0x2c, 0x5b, 0x5c, 0x7b];

/** Bodies are JSON alone: other types are what foreign pages may send unasked. Their values are counted before they
 *  are read. */
export function readJsonBodies(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('remove', 'remove');
  server.removeContentTypeParser('text/plain');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (hasMoreValuesThan(body, MAX_BODY_VALUES)) return done(tooManyValues());
    return parse(request, body, done);
  });
}

function tooManyValues(): AppError {
  const message = `body must hold at most ${MAX_BODY_VALUES} values`;
  return new AppError('invalid_argument', { summary: message, fields: [{ field: 'body', message }] });
}

/** Each value but the first of a list or object follows a comma. What stands in a text counts for nothing. */
export function hasMoreValuesThan(json: string, limit: number): boolean {
  let values = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfText(json, at);
    else if (code === COMMA || code === OPENING_BRACKET || code === OPENING_BRACE) values += 1;
    if (values > limit) return true;
  }
  return false;
}

function endOfText(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return json.length;
}
