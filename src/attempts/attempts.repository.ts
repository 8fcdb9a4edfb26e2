import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { type Guarded, requireMember, projectScope } from '../platform/access/membership.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { RowLoader } from '../platform/database/row-loader.js';
import { AppError } from '../platform/errors/app-error.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import { Attempt, AttemptRepo, type NewAttempt, type WorkspaceState } from './attempt.entity.js';
import type { AttemptSummaryRow, ContextRow, StatusRow } from './attempt-rows.js';
import * as sql from './attempts.sql.js';

@Injectable()
export class AttemptsRepository {
  private readonly statuses: RowLoader<StatusRow & Guarded>;

  constructor(private readonly database: Database) {
    this.statuses = new RowLoader(database, sql.STATUS, ({ attempt_id }) => attempt_id);
  }

  /** Newest first, of equal age the smaller id first; `cursor` is the number of the last attempt seen. */
  async list(principal: Principal, task_id: string, limit: number, cursor?: number): Promise<Page<AttemptSummaryRow>> {
    const values = [task_id, projectScope(principal), cursor ?? null, limit + 1];
    return toPage(await this.database.queryPrepared<AttemptSummaryRow>(sql.LIST, values), limit);
  }

  async findLatest(task_id: string): Promise<{ attempt_id: string; latest_session_id: string | null } | null> {
    const [row] = await this.database.query<{ attempt_id: string; latest_session_id: string | null }>(sql.FIND_LATEST, [
      task_id,
    ]);
    return row ?? null;
  }

  /** @throws AppError attempt_not_found, not_a_member */
  get(principal: Principal, id: string): Promise<Attempt> {
    return this.requireVisible(sql.GET, principal, id);
  }

  /** The row, locked until the end of the transaction: every flow that begins or ends turns takes it first.
   *  @throws AppError attempt_not_found, not_a_member */
  lock(_tx: Transaction, principal: Principal, id: string): Promise<Attempt> {
    return this.requireVisible(sql.LOCK, principal, id);
  }

  /** @throws AppError attempt_not_found, not_a_member */
  async getStatus(principal: Principal, id: string): Promise<StatusRow> {
    const row = await this.statuses.find(principal, id);
    if (!row) throw new AppError('attempt_not_found', { attempt_id: id });
    return requireMember(row, row.project_id);
  }

  async getContext(principal: Principal, id: string): Promise<ContextRow> {
    const [row] = await this.database.query<ContextRow>(sql.CONTEXT, [id, projectScope(principal)]);
    if (!row) throw new AppError('attempt_not_found', { attempt_id: id });
    return row;
  }

  listRepos(attempt_id: string): Promise<AttemptRepo[]> {
    return this.database.query<AttemptRepo>(sql.LIST_REPOS, [attempt_id]);
  }

  async listIdsOfTasks(task_ids: string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>('SELECT id FROM attempts WHERE task_id = ANY($1)', [
      task_ids,
    ]);
    return rows.map((row) => row.id);
  }

  /** For housekeeping: also attempts of deleted tasks. */
  listByIds(ids: string[]): Promise<Attempt[]> {
    return this.database.query<Attempt>(sql.LIST_BY_IDS, [ids]);
  }

  /** Attempts held by that runner, ready and without activity for so many hours, at most 100. */
  listExpired(runner_id: string, hours: number): Promise<Attempt[]> {
    return this.database.query<Attempt>(sql.LIST_EXPIRED, [runner_id, hours]);
  }

  async insert(_tx: Transaction, attempt: NewAttempt, repos: AttemptRepo[]): Promise<void> {
    await this.database.manager.insert(Attempt, attempt);
    await this.database.manager.insert(AttemptRepo, repos);
  }

  /** @returns whether it was another one before */
  async setWorkspaceState(id: string, workspace_state: WorkspaceState): Promise<boolean> {
    return (await this.database.affected(sql.SET_WORKSPACE_STATE, [id, workspace_state])) > 0;
  }

  /** The worktree is there: the runner that holds it and the commit each repository started from. */
  async setReady(id: string, runner_id: string | null, baseCommits: Record<string, string>): Promise<void> {
    await this.database.query(sql.SET_READY, [id, runner_id, JSON.stringify(baseCommits)]);
  }

  private async requireVisible(statement: string, principal: Principal, id: string): Promise<Attempt> {
    const values = [id, projectScope(principal), principal.worker];
    const [attempt] = await this.database.query<Attempt & Guarded>(statement, values);
    if (!attempt) throw new AppError('attempt_not_found', { attempt_id: id });
    return requireMember(attempt, attempt.project_id);
  }
}
