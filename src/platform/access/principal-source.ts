import type { FastifyInstance } from 'fastify';
import { NO_WORKER, type Principal } from './principal.js';

/** Turns the `X-User-Id` of a call into its acting worker. Provided by the module that knows workers. */
export abstract class PrincipalSource {
  /** For a call that may only read: an unknown user stays a newcomer. The caller itself where it names itself.
   *  @throws AppError act_as_required, worker_not_found where newcomers are not provisioned */
  abstract readAs(user_id: string, principal: Principal): Promise<Principal>;
  /** The same for a call that may write: an unknown user is met at once.
   *  @throws AppError act_as_required, worker_not_found */
  abstract actAs(user_id: string, principal: Principal): Promise<Principal>;

  /** A person who writes for the first time becomes a worker. @throws AppError worker_not_found where that is
   *  switched off */
  abstract enrol(principal: Principal): Promise<Principal>;
}

/** A person whom nobody has met is about to change something. */
export const isFirstWrite = ({ worker, operation }: Principal): boolean =>
  worker === NO_WORKER && operation.scope !== 'read';

/** Reading leaves no trace: people become workers with the first route they write by. Runs behind the access check. */
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
