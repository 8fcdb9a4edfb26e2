import { Injectable } from '@nestjs/common';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { insertRecord, type RecordTimes } from '../platform/database/record-time.js';
import { AppError } from '../platform/errors/app-error.js';
import { UUID_PATTERN } from '../platform/fields/formats.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import { type NewWorker, Worker } from './worker.entity.js';

/** One of the two. */
export interface WorkerReference {
  worker_id?: string | null;
  handle?: string | null;
}

@Injectable()
export class WorkersRepository {
  constructor(private readonly database: Database) {}

  async list(limit: number, cursor?: number): Promise<Page<Worker>> {
    return toPage(
      await this.database.query<Worker>(
        `SELECT ${columnsOf(Worker)}
         FROM workers
         WHERE $1::bigint IS NULL OR number < $1
         ORDER BY number DESC LIMIT $2`,
        [cursor ?? null, limit + 1],
      ),
      limit,
    );
  }

  /** By worker id if it is a UUID, else by handle (with or without @). */
  async find(reference: string): Promise<Worker | null> {
    return UUID_PATTERN.test(reference)
      ? this.first('id = $1', [reference])
      : this.first('handle = $1', [handleOf(reference)]);
  }

  /** By user id alone. */
  async findByUserId(user_id: string): Promise<Worker | null> {
    return this.first('user_id = $1', [user_id]);
  }

  /** By worker id or by handle; one is never read as the other.
   *  @throws AppError worker_not_found */
  async get({ worker_id, handle }: WorkerReference): Promise<Worker> {
    const worker = worker_id
      ? await this.first('id = $1', [worker_id])
      : await this.first('handle = $1', [handleOf(handle ?? '')]);
    if (!worker) throw new AppError('worker_not_found', { worker: worker_id ?? handle });
    return worker;
  }

  /** The worker that a calling system means: a known user id; else `@…` is a handle, a UUID a worker id, and a bare
   *  word the handle of an agent, never of a person. */
  async findUser(user_id: string): Promise<Worker | null> {
    const user = await this.first('user_id = $1', [user_id]);
    if (user) return user;
    if (user_id.startsWith('@')) return this.first('handle = $1', [handleOf(user_id)]);
    if (UUID_PATTERN.test(user_id)) return this.first('id = $1', [user_id]);
    return this.first("handle = $1 AND type = 'agent' AND user_id IS NULL", [handleOf(user_id)]);
  }

  insert(_tx: Transaction, worker: NewWorker): Promise<NewWorker & RecordTimes> {
    return insertRecord(this.database.manager, Worker, worker);
  }

  /** @returns false if the handle or the user id is taken */
  async insertIfFree(_tx: Transaction, worker: NewWorker): Promise<boolean> {
    return (
      (await this.database.affected(
        `INSERT INTO workers (id, handle, name, type, user_id)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
        [worker.id, worker.handle, worker.name, worker.type, worker.user_id],
      )) === 1
    );
  }

  private async first(condition: string, values: unknown[]): Promise<Worker | null> {
    const [worker] = await this.database.query<Worker>(
      `SELECT ${columnsOf(Worker)}
       FROM workers
       WHERE ${condition} LIMIT 1`,
      values,
    );
    return worker ?? null;
  }
}

const handleOf = (reference: string): string => `@${reference.toLowerCase().replace(/^@/, '')}`;
