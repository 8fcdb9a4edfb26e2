import { Injectable } from '@nestjs/common';
import { PrincipalSource } from '../platform/access/principal-source.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { refusal } from '../platform/fields/input-errors.js';
import { WorkersRepository } from '../workers/workers.repository.js';
import { WorkersService } from '../workers/workers.service.js';
import { ProjectsService } from './projects.service.js';

/** Turns the user a calling system names into the acting worker. */
@Injectable()
export class ActingWorkerService extends PrincipalSource {
  constructor(
    private readonly database: Database,
    private readonly workerRows: WorkersRepository,
    private readonly workers: WorkersService,
    private readonly projects: ProjectsService,
  ) {
    super();
  }

  /** The same for a call whose arguments name the user; the rest of the call sees who acts.
   *  @throws AppError invalid_argument where the header names somebody else, worker_not_found */
  async actIn(context: { principal: Principal }, user_id: string): Promise<Principal> {
    const { worker } = context.principal;
    if (worker !== null && (await this.workerRows.findUser(user_id))?.id !== worker)
      throw refusal([{ field: 'user_id', message: 'user_id names somebody else than the header X-User-Id' }]);
    context.principal = await this.actAs(user_id, context.principal);
    return context.principal;
  }

  /** A user it has not met becomes a worker with a project to begin with. @throws AppError worker_not_found where that
   *  is switched off */
  async actAs(user_id: string, principal: Principal): Promise<Principal> {
    const known = await this.workerRows.findUser(user_id);
    if (known) return as(principal, known);
    return this.database.transaction(async () => {
      const { worker, isNew } = await this.workers.meet(user_id, principal);
      const acting = as(principal, worker);
      if (isNew) await this.projects.create({ name: 'Default', slug: `default-${worker.id.slice(-12)}` }, acting);
      return acting;
    });
  }
}

/** The worker is the scope of its idempotency keys, too. */
const as = (principal: Principal, worker: { id: string; handle: string; type: 'human' | 'agent' }): Principal => ({
  ...principal,
  id: `worker:${worker.id}`,
  worker: worker.id,
  actor: { name: worker.handle, type: worker.type },
});
