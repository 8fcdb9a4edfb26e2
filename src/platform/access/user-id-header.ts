import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors/app-error.js';
import type { PrincipalSource } from './principal-source.js';

const MAX_USER_ID = 200;

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
    source.actAs(given.trim(), request.principal).then((principal) => {
      request.principal = principal;
      done();
    }, done);
  });
}
