import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { type Guarded, requireMember } from '../platform/access/membership.js';
import { projectScope } from '../platform/access/project-scope.js';
import { columnsOf } from '../platform/database/columns.js';
import { Database } from '../platform/database/database.js';
import { RowLoader } from '../platform/database/row-loader.js';
import { AppError } from '../platform/errors/app-error.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import { Attempt, AttemptRepo, type WorkspaceState } from './attempt.entity.js';
import type { AttemptSummaryRow, ContextRow, StatusRow } from './attempt-rows.js';
import { LIST, STATUS, VISIBLE } from './attempt-summary.sql.js';

@Injectable()
export class AttemptsRepository {
  private readonly statuses: RowLoader<StatusRow & Guarded>;

  constructor(private readonly database: Database) {
    this.statuses = new RowLoader(database, STATUS, ({ attempt_id }) => attempt_id);
  }

  /** Newest first, of equal age the smaller id first; `cursor` is the number of the last attempt seen. */
  async list(principal: Principal, task_id: string, limit: number, cursor?: number): Promise<Page<AttemptSummaryRow>> {
    return toPage(
      await this.database.queryPrepared<AttemptSummaryRow>(LIST, [
        task_id,
        projectScope(principal),
        cursor ?? null,
        limit + 1,
      ]),
      limit,
    );
  }

  async findLatest(task_id: string): Promise<{ attempt_id: string; latest_session_id: string | null } | null> {
    const [row] = await this.database.query<{ attempt_id: string; latest_session_id: string | null }>(
      `SELECT attempt_id, latest_session_id
       FROM attempt_summaries
       WHERE attempt_id = (SELECT id FROM attempts WHERE task_id = $1 ORDER BY created_at DESC, id LIMIT 1)`,
      [task_id],
    );
    return row ?? null;
  }

  /** @throws AppError attempt_not_found */
  async get(principal: Principal, id: string): Promise<Attempt> {
    const [attempt] = await this.database.query<Attempt & Guarded>(
      `SELECT ${columnsOf(Attempt, 'a')}, is_excluded(a.project_id, $3) AS is_excluded
       FROM attempts a ${VISIBLE} AND a.id = $1`,
      [id, projectScope(principal), principal.worker],
    );
    if (!attempt) throw new AppError('attempt_not_found', { attempt_id: id });
    return requireMember(attempt, attempt.project_id);
  }

  /** The row, locked until the end of the transaction: every flow that starts or ends runs takes it first. @throws
   *  AppError attempt_not_found */
  async lock(principal: Principal, id: string): Promise<Attempt> {
    const [attempt] = await this.database.query<Attempt & Guarded>(
      `SELECT ${columnsOf(Attempt, 'a')}, is_excluded(a.project_id, $3) AS is_excluded
       FROM attempts a ${VISIBLE} AND a.id = $1
       FOR NO KEY UPDATE OF a`,
      [id, projectScope(principal), principal.worker],
    );
    if (!attempt) throw new AppError('attempt_not_found', { attempt_id: id });
    return requireMember(attempt, attempt.project_id);
  }

  /** @throws AppError attempt_not_found */
  async getStatus(principal: Principal, id: string): Promise<StatusRow> {
    const row = await this.statuses.find(principal, id);
    if (!row) throw new AppError('attempt_not_found', { attempt_id: id });
    return requireMember(row, row.project_id);
  }

  async getContext(principal: Principal, id: string): Promise<ContextRow> {
    const [row] = await this.database.query<ContextRow>(
      `SELECT a.id AS attempt_id, a.branch AS workspace_branch,
         t.id AS task_id, t.title AS task_title, t.status AS task_status, p.id AS project_id, p.name AS project_name
       FROM attempts a
       JOIN live_tasks t ON t.id = a.task_id
       JOIN projects p ON p.id = a.project_id
       WHERE a.id = $1 AND ($2::uuid[] IS NULL OR a.project_id = ANY($2))`,
      [id, projectScope(principal)],
    );
    if (!row) throw new AppError('attempt_not_found', { attempt_id: id });
    return row;
  }

  async listRepos(attempt_id: string): Promise<AttemptRepo[]> {
    return this.database.query<AttemptRepo>(
      `SELECT ${columnsOf(AttemptRepo)}
       FROM attempt_repos
       WHERE attempt_id = $1 ORDER BY position`,
      [attempt_id],
    );
  }

  async listIdsOfTasks(task_ids: string[]): Promise<string[]> {
    return (
      await this.database.query<{ id: string }>('SELECT id FROM attempts WHERE task_id = ANY($1)', [task_ids])
    ).map((row) => row.id);
  }

  /** For housekeeping: also attempts of deleted tasks. */
  async listByIds(ids: string[]): Promise<Attempt[]> {
    return this.database.query<Attempt>(
      `SELECT ${columnsOf(Attempt)}
       FROM attempts
       WHERE id = ANY($1)`,
      [ids],
    );
  }

  /** Attempts held by that runner, ready and without activity for so many hours, at most 100. */
  async listExpired(runner_id: string, hours: number): Promise<Attempt[]> {
    return this.database.query<Attempt>(
      `SELECT ${columnsOf(Attempt, 'a')}
       FROM attempts a
       JOIN attempt_summaries s ON s.attempt_id = a.id
       JOIN live_tasks t ON t.id = a.task_id
       WHERE a.workspace_state = 'ready' AND a.runner_id = $1
         AND s.state <> 'running' AND s.updated_at < now() - $2 * interval '1 hour'
       ORDER BY a.number LIMIT 100`,
      [runner_id, hours],
    );
  }

  async insert(attempt: Omit<Attempt, 'number'>, repos: AttemptRepo[]): Promise<void> {
    await this.database.manager.insert(Attempt, attempt);
    await this.database.manager.insert(AttemptRepo, repos);
  }

  async setWorkspaceState(id: string, workspace_state: WorkspaceState): Promise<void> {
    await this.database.query(
      `UPDATE attempts SET workspace_state = $2, updated_at = now()
       WHERE id = $1 AND workspace_state <> $2`,
      [id, workspace_state],
    );
  }

  /** The worktree is there: the runner that holds it and the commit each repository started from. */
  async setReady(id: string, runner_id: string | null, baseCommits: Record<string, string>): Promise<void> {
    await this.database.query(
      `WITH bases AS (
         UPDATE attempt_repos r SET base_commit = b.value
         FROM jsonb_each_text($3::jsonb) b
         WHERE r.attempt_id = $1 AND r.repo_name = b.key
       )
       UPDATE attempts SET workspace_state = 'ready', runner_id = $2, updated_at = now()
       WHERE id = $1`,
      [id, runner_id, JSON.stringify(baseCommits)],
    );
  }
}
