import { Injectable } from '@nestjs/common';
import { withinBudget } from '../platform/database/answer-budget.js';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { insertRecord, NOW, type RecordTimes } from '../platform/database/record-time.js';
import { AppError } from '../platform/errors/app-error.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import { type NewRepo, Repo, type RepoSettings } from './repo.entity.js';

/** Repositories of one project; callers have resolved the project for their principal. */
@Injectable()
export class ReposRepository {
  constructor(private readonly database: Database) {}

  async list(project_id: string, limit: number, cursor?: number): Promise<Page<Repo>> {
    const rows = await this.database.query<Repo>(
      withinBudget(
        `SELECT ${columnsOf(Repo)}
         FROM repos
         WHERE project_id = $1 AND ($2::bigint IS NULL OR number < $2)
         ORDER BY number DESC LIMIT $3`,
        { columns: columnsOf(Repo), long: ['setup_script', 'cleanup_script'], order: 'number DESC' },
      ),
      [project_id, cursor ?? null, limit + 1],
    );
    return toPage(rows, limit);
  }

  async listByIds(project_id: string, ids: string[]): Promise<Repo[]> {
    return this.database.query<Repo>(
      `SELECT ${columnsOf(Repo)}
       FROM repos
       WHERE project_id = $1 AND id = ANY($2)`,
      [project_id, ids],
    );
  }

  /** Those of the given repositories whose project is deleted and whose worktrees are all gone. */
  async listAbandoned(ids: string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT r.id
       FROM repos r
       JOIN projects p ON p.id = r.project_id
       WHERE r.id = ANY($1) AND p.deleted_at IS NOT NULL
         AND NOT EXISTS (
           SELECT 1 FROM attempts a WHERE a.project_id = p.id AND a.workspace_state <> 'removed'
         )`,
      [ids],
    );
    return rows.map(({ id }) => id);
  }

  insert(_tx: Transaction, repo: NewRepo): Promise<NewRepo & RecordTimes> {
    return insertRecord(this.database.manager, Repo, repo);
  }

  /** @throws AppError repo_not_found */
  async lock(_tx: Transaction, project_id: string, repo_id: string): Promise<Repo> {
    const [repo] = await this.database.query<Repo>(
      `SELECT ${columnsOf(Repo)} FROM repos WHERE project_id = $1 AND id = $2 FOR UPDATE`,
      [project_id, repo_id],
    );
    if (!repo) throw new AppError('repo_not_found', { repo_id });
    return repo;
  }

  async update(_tx: Transaction, id: string, change: RepoSettings): Promise<void> {
    await this.database.manager.update(Repo, { id }, { ...change, updated_at: NOW });
  }

  /** @throws AppError repo_not_found, repo_in_use (by the foreign key of attempts) */
  async delete(_tx: Transaction, project_id: string, repo_id: string): Promise<void> {
    const removed = await this.database.affected('DELETE FROM repos WHERE project_id = $1 AND id = $2', [
      project_id,
      repo_id,
    ]);
    if (removed === 0) throw new AppError('repo_not_found', { repo_id });
  }
}
