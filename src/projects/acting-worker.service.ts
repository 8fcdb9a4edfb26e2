import { Injectable } from '@nestjs/common';
import { PrincipalSource } from '../platform/access/principal-source.js';
import { NO_WORKER, type Principal } from '../platform/access/principal.js';
import type { Scope } from '../platform/access/scopes.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import type { Worker } from '../workers/worker.entity.js';
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
    private readonly hub: ChangeHub,
  ) {
    super();
  }

  /** The same for a call whose arguments name the user; replaces the principal of the context.
   *  @throws AppError invalid_argument where the header names somebody else, worker_not_found */
  async actIn(context: { principal: Principal }, user_id: string): Promise<Principal> {
    await this.requireSame(context.principal, user_id);
    context.principal = await this.actAs(user_id, context.principal);
    return context.principal;
  }

  /** The same for a call that only reads. */
  async readIn(context: { principal: Principal }, user_id: string): Promise<Principal> {
    await this.requireSame(context.principal, user_id);
    context.principal = await this.readAs(user_id, context.principal);
    return context.principal;
  }

  /** An unknown user stays unknown and is a member of nothing. */
  async readAs(user_id: string, principal: Principal): Promise<Principal> {
    if (user_id === principal.user_id) return principal;
    requireActAs(principal);
    const known = await this.workerRows.findUser(user_id);
    if (known) return as(principal, known);
    this.workers.requireProvisioning(user_id);
    return {
      ...principal,
      id: `newcomer:${user_id}`,
      user_id,
      scopes: scopesOfOthers(principal),
      groups: [],
      worker: NO_WORKER,
      caller: principal.caller ?? principal.name,
      newcomer: { namedBy: principal.id, meet: () => this.actAs(user_id, principal) },
    };
  }

  /** An unknown user becomes a worker with a project of its own.
   *  @throws AppError act_as_required, worker_not_found where that is switched off */
  async actAs(user_id: string, principal: Principal): Promise<Principal> {
    if (user_id === principal.user_id) return principal.newcomer?.meet() ?? principal;
    requireActAs(principal);
    const known = await this.workerRows.findUser(user_id);
    if (known) return as(principal, known);
    return this.database.transaction(async () => {
      const { worker, isNew } = await this.workers.meet(user_id, principal);
      const acting = as(principal, worker);
      if (isNew) await this.createFirstProject(acting);
      return acting;
    });
  }

  /** All replicas then drop the cached principal without a worker. @throws AppError worker_not_found */
  async enrol(principal: Principal): Promise<Principal> {
    if (principal.newcomer) return principal.newcomer.meet();
    return this.database.transaction(async (tx) => {
      const { worker, isNew } = await this.workers.enrol(principal);
      const enrolled = { ...principal, worker: worker.id, actor: { name: worker.handle, type: worker.type } };
      if (isNew) await this.createFirstProject(enrolled);
      if (principal.credential) await this.hub.announce(tx, `token:${principal.credential.id}`);
      return enrolled;
    });
  }

  private async createFirstProject(acting: Principal): Promise<void> {
    await this.projects.create({ name: 'Default', slug: `default-${acting.worker!.slice(-12)}` }, acting);
  }

  /** @throws AppError invalid_argument */
  private async requireSame({ worker, caller, user_id: own }: Principal, user_id: string): Promise<void> {
    if (worker === null || caller === null || own === user_id) return;
    if ((await this.workerRows.findUser(user_id))?.id !== worker)
      throw refusal([{ field: 'user_id', message: 'user_id names somebody else than the header X-User-Id' }]);
  }
}

/** @throws AppError act_as_required */
function requireActAs({ scopes }: Principal): void {
  if (!scopes.includes('act_as')) throw new AppError('act_as_required');
}

/** A caller that acts as somebody else has no admin scope. */
const scopesOfOthers = ({ scopes }: Principal): Scope[] => scopes.filter((scope) => scope !== 'admin');

/** Idempotency keys belong to the worker, too. */
const as = (principal: Principal, worker: Pick<Worker, 'id' | 'handle' | 'type' | 'user_id'>): Principal => ({
  ...principal,
  newcomer: undefined,
  id: `worker:${worker.id}`,
  user_id: worker.user_id ?? worker.handle,
  scopes: scopesOfOthers(principal),
  groups: [],
  worker: worker.id,
  actor: { name: worker.handle, type: worker.type },
  caller: principal.caller ?? principal.name,
});
