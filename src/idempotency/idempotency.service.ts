import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { Principal } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { settledWithin } from '../platform/process/settled-within.js';
import {
  type IdempotencyRecord,
  IdempotencyRepository,
  type KeyClaim,
  type KeyScope,
} from './idempotency.repository.js';

/** One request per key at a time in this process, so that retries wait without holding a connection. */
export class KeyTurns {
  private readonly atWork = new Map<string, Promise<unknown>>();

  /** @param work receives the milliseconds left to wait. @returns null if the time was over first */
  async take<T extends object>(key: string, waitMs: number, work: (leftMs: number) => Promise<T>): Promise<T | null> {
    const deadline = performance.now() + waitMs;
    for (let earlier = this.atWork.get(key); earlier; earlier = this.atWork.get(key)) {
      if (!(await settledWithin(earlier, deadline - performance.now()))) return null;
    }
    const mine = work(Math.max(1, Math.ceil(deadline - performance.now()))).finally(() => this.atWork.delete(key));
    this.atWork.set(key, mine);
    return mine;
  }
}

/** SHA-256 of the canonical JSON (sorted keys, absent fields left out) of the whole effective payload. */
export function requestHash(payload: unknown): string {
  return hash('sha256', canonical(payload), 'hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
}

export interface Request {
  operation: string;
  principal: Principal;
  /** If absent, the work simply runs in its own transaction. */
  key: string | undefined;
  /** The whole effective input of the verb, without the key. */
  payload: object;
  project_id?: string;
}

const LOCK_NOT_AVAILABLE = '55P03';
/** How long a retry waits for the first request. */
const WAIT_MS = 10_000;

/** Key and effect commit together, so a retry either finds the result, which then says that it is replayed, or does the
 *  work; nothing is done twice. */
@Injectable()
export class IdempotencyService {
  private readonly turns = new KeyTurns();

  constructor(
    private readonly database: Database,
    private readonly records: IdempotencyRepository,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** @throws AppError idempotency_conflict, idempotency_in_progress */
  async once<T extends object>(request: Request, work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (request.key === undefined) return this.database.transaction(work);
    const scope: KeyScope = { operation: request.operation, principal_id: request.principal.id, key: request.key };
    const hash = requestHash(request.payload);
    const result = await this.turns.take(JSON.stringify(scope), WAIT_MS, (leftMs) =>
      this.database.transaction(async (tx) => {
        if (!(await bounded(() => this.records.claim(tx, scope, hash, request.project_id ?? null, leftMs))))
          return replay<T>(await this.records.find(scope), hash);
        const result = await work(tx);
        await this.records.complete(tx, scope, result);
        return result;
      }),
    );
    if (result === null) throw new AppError('idempotency_in_progress');
    return result;
  }

  /** The same for work that is a single statement with a known result, which claims the key itself.
   *  @param statement returns false where another request holds the key, or why it wrote nothing
   *  @throws AppError idempotency_conflict, idempotency_in_progress, and what the statement returned */
  async onceInOneStatement<T extends object>(
    request: Request,
    result: T,
    statement: (claim: KeyClaim | null) => Promise<boolean | AppError>,
  ): Promise<T> {
    if (request.key === undefined) return written(await statement(null), result);
    const { operation, key } = request;
    const scope: KeyScope = { operation, principal_id: request.principal.id, key };
    const request_hash = requestHash(request.payload);
    const stored = await this.turns.take(JSON.stringify(scope), WAIT_MS, async (waitMs) => {
      const claim = { operation, principal_id: scope.principal_id, key, request_hash, result, waitMs };
      const outcome = await bounded(() => statement(claim));
      if (outcome === true) return result;
      const earlier = await this.records.find(scope);
      return earlier ? replay<T>(earlier, request_hash) : written(outcome, result);
    });
    if (stored === null) throw new AppError('idempotency_in_progress');
    return stored;
  }

  /** The stored result, to be looked up before checks for new work. @throws AppError idempotency_conflict */
  async findResult<T extends object>(request: Request): Promise<T | null> {
    if (request.key === undefined) return null;
    const record = await this.records.find({
      operation: request.operation,
      principal_id: request.principal.id,
      key: request.key,
    });
    return record ? replay<T>(record, requestHash(request.payload)) : null;
  }

  async prune(): Promise<number> {
    return this.records.prune(
      this.environment.VK_IDEMPOTENCY_COMPLETED_TTL_SECS,
      this.environment.VK_IDEMPOTENCY_IN_PROGRESS_TTL_SECS,
    );
  }
}

/** If the wait for the lock of a key is too long, its request is still running. */
async function bounded<T>(claim: () => Promise<T>): Promise<T> {
  try {
    return await claim();
  } catch (error) {
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) throw new AppError('idempotency_in_progress');
    throw error;
  }
}

function written<T>(outcome: boolean | AppError, result: T): T {
  if (outcome instanceof AppError) throw outcome;
  if (!outcome) throw new AppError('idempotency_in_progress');
  return result;
}

function replay<T>(record: IdempotencyRecord | null, hash: string): T {
  if (record !== null && record.request_hash !== hash)
    throw new AppError('idempotency_conflict', { request_id: record.key });
  if (record?.state !== 'completed') throw new AppError('idempotency_in_progress');
  return { ...(record.result as T), replayed: true };
}
