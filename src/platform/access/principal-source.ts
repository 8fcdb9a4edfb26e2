import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.js';
import { NO_WORKER, type Principal } from './principal.js';

/** Turns the `X-User-Id` of a call into its acting worker. Provided by the module that knows workers. */
export abstract class PrincipalSource {
  /** For a call that only reads: an unknown user stays a newcomer. Returns the caller if it names itself.
   *  @throws AppError act_as_required, worker_not_found where newcomers are not provisioned */
  abstract readAs(user_id: string, principal: Principal): Promise<Principal>;
  /** The same for a call that may write: an unknown user becomes a worker at once.
   *  @throws AppError act_as_required, worker_not_found */
  abstract actAs(user_id: string, principal: Principal): Promise<Principal>;

  /** A person who writes for the first time becomes a worker. @throws AppError worker_not_found where that is
   *  switched off */
  abstract enrol(principal: Principal): Promise<Principal>;
}

/** A person who is not a worker yet is about to change something. */
export const isFirstWrite = ({ worker, operation }: Principal): boolean =>
  worker === NO_WORKER && operation.scope !== 'read';

/** People become workers with their first write, not by reading. Runs after the access check. */
export function enrolWriters(server: FastifyInstance, source: PrincipalSource): void {
  server.addHook('onRequest', (request, _, done) => {
    const { principal } = request;
    if (principal === undefined || !isFirstWrite(principal)) return done();
    source.enrol(principal).then((enrolled) => {
      request.principal = enrolled;
      done();
    }, done);
  });
}

const MAX_USER_ID = 200;
/** Tool calls, which decide by themselves whether they write, and a POST that only reads. */
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
