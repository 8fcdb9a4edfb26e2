import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import type { BoardInput, CardOutput } from './board.dto.js';
import { CARDS, COUNTS } from './board.sql.js';
import { type TaskStatus, taskStatuses } from './task-stage.js';

type BoardFilter = Omit<BoardInput, 'limit'>;

@Injectable()
export class BoardRepository {
  constructor(private readonly database: Database) {}

  /** All that match, by status; a status without any is left out. */
  async count(filter: BoardFilter): Promise<Map<TaskStatus, number>> {
    const rows = await this.database.queryPrepared<{ status: TaskStatus; count: number }>(COUNTS, valuesOf(filter));
    return new Map(rows.map(({ status, count }) => [status, count]));
  }

  /** The newest of each column. */
  listCards(filter: BoardFilter, limit: number): Promise<CardOutput[]> {
    return this.database.queryPrepared<CardOutput>(CARDS, [...valuesOf(filter), taskStatuses, limit]);
  }
}

const valuesOf = ({ project_id, search, assignee, priority, tag, executor }: BoardFilter): unknown[] => [
  project_id,
  search === undefined ? null : `%${search.replace(/[\\%_]/g, '\\$&')}%`,
  assignee ?? null,
  priority ?? null,
  tag ?? null,
  executor ?? null,
];
