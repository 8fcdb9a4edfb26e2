import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.js';
import type { PrincipalSource } from './principal-source.js';

const MAX_USER_ID = 200;
/** Calls of tools, which decide themselves whether they write, and a POST that only reads. */
const TOOLS_AND_PATCHES = /^\/(mcp|api\/toolsets)(\/|\?|$)|^\/api\/attempts\/[^/?]+\/patch(\?|$)/;

const mayOnlyRead = ({ method, url }: FastifyRequest): boolean =>
  method === 'GET' || method === 'HEAD' || TOOLS_AND_PATCHES.test(url);

/** `X-User-Id` names the acting worker, on REST and MCP alike; runs behind the access check.
 *  An agent that runs acts as itself. */
export function actForUsers(server: FastifyInstance, source: PrincipalSource): void {
  server.addHook('onRequest', (request, _, done) => {
    const given = request.headers['x-user-id'];
    if (
      typeof given !== 'string' ||
      given.trim() === '' ||
      request.principal === undefined ||
      request.principal.attempt !== null
    )
      return done();
    if (given.length > MAX_USER_ID)
      throw new AppError('invalid_argument', { summary: `X-User-Id is longer than ${MAX_USER_ID} characters` });
    const [user_id, caller] = [given.trim(), request.principal];
    const acting = mayOnlyRead(request) ? source.readAs(user_id, caller) : source.actAs(user_id, caller);
    acting.then((principal) => {
      request.principal = principal;
      done();
    }, done);
  });
}
