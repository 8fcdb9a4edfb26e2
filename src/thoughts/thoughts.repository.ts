import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { ThoughtRecord } from './thought-record.entity.js';

@Injectable()
export class ThoughtsRepository {
  constructor(private readonly database: Database) {}

  async insert(record: Omit<ThoughtRecord, 'number'>): Promise<void> {
    await this.database.manager.insert(ThoughtRecord, record);
  }

  /** Hash of the newest record of a task; its row lock on the task makes writers queue up. */
  async findLastHash(task_id: string): Promise<string | null> {
    const [row] = await this.database.query<{ hash: string }>('SELECT hash FROM thought_records WHERE task_id = $1 ORDER BY number DESC LIMIT 1', [task_id]);
    return row?.hash ?? null;
  }

  async exists(task_id: string): Promise<boolean> {
    return (await this.database.query('SELECT 1 FROM thought_records WHERE task_id = $1 LIMIT 1', [task_id])).length > 0;
  }

  /** In the order of insertion; all tasks where none is named. */
  async list(task_id: string | null, limit: number, after = 0): Promise<ThoughtRecord[]> {
    return this.database.query<ThoughtRecord>('SELECT * FROM thought_records WHERE ($1::uuid IS NULL OR task_id = $1) AND number > $2 ORDER BY number LIMIT $3', [task_id, after, limit]);
  }

  async count(task_id: string | null): Promise<number> {
    const [row] = await this.database.query<{ count: number }>('SELECT count(*)::int AS count FROM thought_records WHERE ($1::uuid IS NULL OR task_id = $1)', [task_id]);
    return row.count;
  }
}
