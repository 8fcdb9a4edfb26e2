import { Inject, Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { Principal } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import { pageLimit } from '../platform/fields/paging.js';
import {
  type CreateWorkerInput,
  type ListWorkersInput,
  type ListWorkersOutput,
  toWorkerOutput,
  type WorkerOutput,
} from './worker.dto.js';
import type { NewWorker, Worker } from './worker.entity.js';
import { WorkersRepository } from './workers.repository.js';

const HANDLE = /^@[a-z0-9_-]{1,49}$/;
const MAX_BASE = 40;

/** People and agents are the same kind of worker. */
@Injectable()
export class WorkersService {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly database: Database,
    private readonly workerRows: WorkersRepository,
    private readonly audit: AuditService,
  ) {}

  async list(input: ListWorkersInput): Promise<ListWorkersOutput> {
    const { rows, ...page } = await this.workerRows.list(pageLimit(input.limit), input.cursor);
    return { workers: rows.map(toWorkerOutput), ...page };
  }

  /** @throws AppError invalid_argument, handle_taken, user_taken */
  async create(input: CreateWorkerInput, principal: Principal): Promise<WorkerOutput> {
    if (!HANDLE.test(input.handle))
      throw refusal([
        { field: 'handle', message: 'handle must be @ and 1 to 49 lower-case letters, digits, hyphens or underscores' },
      ]);
    const worker = newWorker(input.handle, input.name, input.type, input.user_id ?? null);
    return this.database.transaction(async (tx) => {
      const created = await this.workerRows.insert(tx, worker);
      await this.recordCreated(tx, worker, principal);
      return toWorkerOutput(created);
    });
  }

  /** The worker that a calling system names by user id, worker id or handle; an unknown user becomes a person, unless
   *  AUTO_PROVISION is off.
   *  @returns whether the worker is new @throws AppError worker_not_found */
  async meet(user_id: string, principal: Principal): Promise<{ worker: Worker; isNew: boolean }> {
    const known = await this.workerRows.findUser(user_id);
    if (known) return { worker: known, isNew: false };
    return this.provision({ user_id, name: user_id, type: 'human' }, principal);
  }

  /** The worker of a person of the identity provider, by issuer and subject; an unknown one is created. Names are only
   *  labels, which two people may share.
   *  @returns whether the worker is new @throws AppError worker_not_found */
  async enrol(principal: Principal): Promise<{ worker: Worker; isNew: boolean }> {
    const { user_id, name, actor } = principal;
    if (user_id === null) throw new AppError('worker_not_found', { worker: name });
    const known = await this.workerRows.findByUserId(user_id);
    if (known) return { worker: known, isNew: false };
    return this.provision({ user_id, name, type: actor.type === 'agent' ? 'agent' : 'human' }, principal);
  }

  private async provision(
    { user_id, name, type }: Pick<Principal, 'name'> & { user_id: string; type: Worker['type'] },
    principal: Principal,
  ): Promise<{ worker: Worker; isNew: boolean }> {
    this.requireProvisioning(name);
    return this.database.transaction(async (tx) => {
      const worker = newWorker(handleFor(name), name, type, user_id);
      const isNew =
        (await this.workerRows.insertIfFree(tx, worker)) ||
        (await this.workerRows.insertIfFree(tx, {
          ...worker,
          handle: `${worker.handle.slice(0, MAX_BASE)}-${worker.id.slice(-6)}`,
        }));
      const met = await this.workerRows.findByUserId(user_id);
      if (!met) throw new AppError('worker_not_found', { worker: name }); // both handles are taken by others
      if (isNew) await this.recordCreated(tx, met, principal);
      return { worker: met, isNew };
    });
  }

  /** @throws AppError worker_not_found where users that nobody has met are refused */
  requireProvisioning(user_id: string): void {
    if (this.environment.AUTO_PROVISION === 'off') throw new AppError('worker_not_found', { worker: user_id });
  }

  private recordCreated(
    tx: Transaction,
    { id, handle, name, type }: Pick<Worker, 'id' | 'handle' | 'name' | 'type'>,
    principal: Principal,
  ): Promise<void> {
    return this.audit.record(tx, principal, {
      entity_type: 'worker',
      entity_id: id,
      action: 'created',
      details: { after: { handle, name, type } },
    });
  }
}

function newWorker(handle: string, name: string, type: Worker['type'], user_id: string | null): NewWorker {
  return { id: newId(), handle, name, type, user_id };
}

/** From the part before the @ of a mail address, or the whole id. */
function handleFor(user_id: string): string {
  const base = user_id
    .replace(/@.*$/s, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_BASE);
  return `@${base || 'user'}`;
}
