import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { termQuery } from '../platform/database/word-search.js';
import { UUID_PATTERN } from '../platform/fields/formats.js';
import type { BoardColumnOutput, BoardInput, CardOutput } from './board.dto.js';
import { CARDS, COUNTS, FOUND_CARDS } from './board.sql.js';
import { listedOr, signOf } from './found-tasks.sql.js';
import { type Stage, statusOf, type TaskStatus, taskStatuses } from './task-stage.js';

type BoardFilter = Omit<BoardInput, 'limit' | 'project_id'>;
/** With what the statement says of its column. */
type FoundCard = CardOutput & { matches: number; is_cut: boolean };

@Injectable()
export class BoardRepository {
  constructor(private readonly database: Database) {}

  /** Of the whole project: exact counts, and the newest cards of each column. */
  async readAll(project_id: string, limit: number): Promise<BoardColumnOutput[]> {
    const [counts, cards] = await Promise.all([
      this.database.queryPrepared<{ stage: Stage; count: number }>(COUNTS, [project_id]),
      this.database.queryPrepared<CardOutput>(CARDS, [project_id, taskStatuses, limit]),
    ]);
    const countOf = (status: TaskStatus) =>
      counts.reduce((sum, { stage, count }) => (statusOf(stage) === status ? sum + count : sum), 0);
    return taskStatuses.map((status) => ({
      status,
      count: countOf(status),
      has_more_matches: false,
      cards: cards.filter((card) => card.status === status),
    }));
  }

  /** Of the tasks that match. */
  async readFound(project_id: string, filter: BoardFilter, limit: number): Promise<BoardColumnOutput[]> {
    const { search, assignee, priority, tag, executor, archived } = filter;
    const worker = assignee === undefined ? null : await this.findWorker(assignee);
    const { signs, ...rest } = listedOr(archived);
    const query = termQuery({
      ...rest,
      words: search,
      signs: [
        ...signs,
        signOf.project(project_id),
        ...(priority === undefined ? [] : [signOf.priority(priority)]),
        ...(tag === undefined ? [] : [signOf.tag(tag)]),
        ...(executor === undefined ? [] : [signOf.executor(executor)]),
        ...(assignee === undefined ? [] : [[assignee, ...(worker === null ? [] : [worker])].map(signOf.assignee)]),
      ],
    });
    const fields = [priority, tag, executor, assignee].map((value) => value ?? null);
    const values = [project_id, taskStatuses, limit, query, ...fields, worker];
    const found = await this.database.queryPrepared<FoundCard>(FOUND_CARDS, values);
    return taskStatuses.map((status) => columnOf(status, found, limit));
  }

  /** By handle or id. */
  private async findWorker(assignee: string): Promise<string | null> {
    const id = UUID_PATTERN.test(assignee) ? assignee : null;
    const [worker] = await this.database.query<{ id: string }>(
      'SELECT id FROM workers WHERE handle = $1 OR id = $2 LIMIT 1',
      [assignee, id],
    );
    return worker?.id ?? null;
  }
}

function columnOf(status: TaskStatus, found: readonly FoundCard[], limit: number): BoardColumnOutput {
  const own = found.filter((card) => card.status === status);
  const [{ matches, is_cut } = { matches: 0, is_cut: false }] = own;
  return {
    status,
    count: Math.max(matches, own.length),
    has_more_matches: is_cut && own.length >= limit,
    cards: own.map(({ matches: _, is_cut: __, ...card }) => card),
  };
}
