import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { UUID_PATTERN } from '../platform/fields/formats.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import { Worker } from './worker.entity.js';

@Injectable()
export class WorkersRepository {
  constructor(private readonly database: Database) {}

  async list(limit: number, cursor?: number): Promise<Page<Worker>> {
    return toPage(await this.database.query<Worker>('SELECT * FROM workers WHERE ($1::bigint IS NULL OR number < $1) ORDER BY number DESC LIMIT $2', [cursor ?? null, limit + 1]), limit);
  }

  /** By user id, worker id or handle (with or without @), in this order. */
  async find(reference: string): Promise<Worker | null> {
    const handle = `@${reference.toLowerCase().replace(/^@/, '')}`;
    const [worker] = await this.database.query<Worker>(
      `SELECT * FROM workers WHERE user_id = $1 OR id = $2 OR handle = $3 ORDER BY (user_id = $1) DESC NULLS LAST, (id = $2) DESC NULLS LAST LIMIT 1`,
      [reference, UUID_PATTERN.test(reference) ? reference : null, handle]);
    return worker ?? null;
  }

  /** @throws AppError worker_not_found */
  async get(reference: string): Promise<Worker> {
    const worker = await this.find(reference);
    if (!worker) throw new AppError('worker_not_found', { worker: reference });
    return worker;
  }

  async insert(worker: Omit<Worker, 'number'>): Promise<void> {
    await this.database.manager.insert(Worker, worker);
  }

  /** @returns false where the handle or the user id is taken meanwhile */
  async insertIfFree(worker: Omit<Worker, 'number'>): Promise<boolean> {
    return (await this.database.affected(
      'INSERT INTO workers (id, handle, name, type, user_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING',
      [worker.id, worker.handle, worker.name, worker.type, worker.user_id, worker.created_at, worker.updated_at])) === 1;
  }
}
