import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { type Guarded, membershipOf, projectScope, requireRole } from '../platform/access/rights.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { RowLoader } from '../platform/database/row-loader.js';
import { AppError } from '../platform/errors/app-error.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import {
  Attempt,
  AttemptRepo,
  historyOnly,
  type NewAttempt,
  type NewAttemptRepo,
  type StrayAttempt,
  type VisibleAttempt,
  type WorkspaceState,
} from './attempt.entity.js';
import type { DeliveryState } from '../tasks/task.dto.js';
import type {
  AttemptOutcome,
  AttemptSummaryRow,
  Assessment,
  ContextRow,
  StatusRow,
  TurnOrigin,
  WaitingRow,
  WorkRow,
} from './attempt-rows.js';
import * as sql from './attempts.sql.js';

@Injectable()
export class AttemptsRepository {
  private readonly statuses: RowLoader<StatusRow & Guarded>;
  private readonly roles: RowLoader<Pick<Attempt, 'id' | 'project_id'> & Guarded>;

  constructor(private readonly database: Database) {
    this.roles = new RowLoader(database, sql.ROLE, ({ id }) => id);
    this.statuses = new RowLoader(database, sql.STATUS, ({ attempt_id }) => attempt_id);
  }

  /** Newest first, ties by the smaller id; `cursor` is the number of the last attempt seen. */
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
  get(principal: Principal, id: string): Promise<VisibleAttempt> {
    return this.getVisible(sql.GET, principal, id);
  }

  /** The row, locked until the end of the transaction: every flow that begins or ends turns takes it first.
   *  @throws AppError attempt_not_found, not_a_member */
  lock(_tx: Transaction, principal: Principal, id: string): Promise<VisibleAttempt> {
    return this.getVisible(sql.LOCK, principal, id);
  }

  /** Checks only the right, in one statement with all concurrent checks.
   *  @throws AppError attempt_not_found, not_a_member */
  async requireVisible(principal: Principal, id: string): Promise<void> {
    this.requireReadable(await this.roles.find(principal, id), principal, id);
  }

  /** @throws AppError attempt_not_found, not_a_member */
  async getStatus(principal: Principal, id: string): Promise<StatusRow> {
    return this.requireReadable(await this.statuses.find(principal, id), principal, id);
  }

  /** By the id of the attempt. */
  async listWork(ids: readonly string[]): Promise<Map<string, WorkRow>> {
    const rows = await this.database.query<WorkRow>(sql.LIST_WORK, [ids]);
    return new Map(rows.map((row) => [row.attempt_id, row]));
  }

  /** What became of its last run. */
  async outcomeOf(id: string): Promise<AttemptOutcome> {
    const [row] = await this.database.query<AttemptOutcome>(sql.OUTCOME, [id]);
    return row!;
  }

  /** Position of its turn in the queue; null if none is waiting. */
  async findWaiting(attempt_id: string, caps: { project: number; executors: object }): Promise<WaitingRow | null> {
    const values = [attempt_id, caps.project, JSON.stringify(caps.executors)];
    const [row] = await this.database.query<WaitingRow>(sql.WAITING, values);
    return row ?? null;
  }

  async getContext(principal: Principal, id: string): Promise<ContextRow> {
    const [row] = await this.database.query<ContextRow>(sql.CONTEXT, [id, projectScope(principal)]);
    if (!row) throw new AppError('attempt_not_found', { attempt_id: id });
    return row;
  }

  listRepos(attempt_id: string): Promise<AttemptRepo[]> {
    return this.database.query<AttemptRepo>(sql.LIST_REPOS, [attempt_id]);
  }

  /** Which runner holds its worktrees, which labels one needs, and how urgent its task is. */
  async turnOrigin(id: string): Promise<TurnOrigin> {
    const [row] = await this.database.query<TurnOrigin>(sql.TURN_ORIGIN, [id]);
    return row!;
  }

  async listIdsOfTasks(task_ids: string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      'SELECT id FROM attempts WHERE task_id = ANY($1) AND NOT is_imported',
      [task_ids],
    );
    return rows.map((row) => row.id);
  }

  /** @throws AppError workspace_lost if it is history from elsewhere */
  async requireMadeHere(id: string): Promise<void> {
    const [imported] = await this.database.query<Attempt>(`${sql.LIST_BY_IDS} AND a.is_imported`, [[id]]);
    if (imported) throw historyOnly(imported);
  }

  /** Branches of a task's attempts that are not known to be merged, oldest first. */
  async listUnmerged(task_id: string): Promise<string[]> {
    const rows = await this.database.query<{ workspace_branch: string }>(sql.LIST_UNMERGED, [task_id]);
    return rows.map(({ workspace_branch }) => workspace_branch);
  }

  /** For housekeeping: also attempts of deleted tasks. */
  listByIds(ids: string[]): Promise<Attempt[]> {
    return this.database.query<Attempt>(sql.LIST_BY_IDS, [ids]);
  }

  /** Those of the given ones whose task was deleted and cannot be restored any more. */
  listDisposable(ids: string[]): Promise<Attempt[]> {
    return this.database.query<Attempt>(sql.LIST_DISPOSABLE, [ids]);
  }

  /** Those of the given ones whose worktrees have no place on that runner: another one holds them, or none yet, they
   *  were removed, or their task was deleted. */
  listStrays(ids: string[], runner_id: string): Promise<StrayAttempt[]> {
    return this.database.query<StrayAttempt>(sql.LIST_STRAYS, [ids, runner_id]);
  }

  /** Those of the given runners that still are the home of an attempt. */
  async listHomes(runner_ids: string[]): Promise<string[]> {
    const rows = await this.database.query<{ runner_id: string }>(sql.LIST_HOMES, [runner_ids]);
    return rows.map(({ runner_id }) => runner_id);
  }

  /** Attempts held by that runner, ready and without activity for so many hours, at most 100. */
  listExpired(runner_id: string, hours: number): Promise<Attempt[]> {
    return this.database.query<Attempt>(sql.LIST_EXPIRED, [runner_id, hours]);
  }

  async insert(_tx: Transaction, attempt: NewAttempt, repos: NewAttemptRepo[]): Promise<void> {
    await this.database.manager.insert(Attempt, attempt);
    await this.database.manager.insert(AttemptRepo, repos);
  }

  /** @returns whether it was another one before */
  async setWorkspaceState(id: string, workspace_state: WorkspaceState): Promise<boolean> {
    return (await this.database.affected(sql.SET_WORKSPACE_STATE, [id, workspace_state])) > 0;
  }

  /** The worktree exists: stores the runner that holds it and the base commits. A runner that was frozen meanwhile
   *  cannot take it over. @throws AppError workspace_not_ready if another runner has it by now, or its task was
   *  deleted */
  async setReady(
    id: string,
    { from, to }: { from: string | null; to: string },
    baseCommits: Record<string, string>,
  ): Promise<void> {
    const made = await this.database.query(sql.SET_READY, [id, from, to, JSON.stringify(baseCommits)]);
    if (made.length === 0) throw new AppError('workspace_not_ready', { attempt_id: id });
  }

  /** @param base_commit new base of the branch; null leaves it as it is */
  async setOperation(
    _tx: Transaction,
    { attempt_id, repo_id }: Pick<AttemptRepo, 'attempt_id' | 'repo_id'>,
    { operation, operation_onto }: Pick<AttemptRepo, 'operation' | 'operation_onto'>,
    base_commit: string | null,
  ): Promise<void> {
    await this.database.query(sql.SET_OPERATION, [attempt_id, repo_id, operation, operation_onto, base_commit]);
  }

  /** Whether an agent was asked to resolve the update in progress. */
  async setResolving(_tx: Transaction, id: string, resolving: boolean): Promise<void> {
    await this.database.query(sql.SET_RESOLVING, [id, resolving]);
  }

  /** @param head tip of the branch, or null if the delivery was undone */
  async setDelivered(
    _tx: Transaction,
    { attempt_id, repo_id }: Pick<AttemptRepo, 'attempt_id' | 'repo_id'>,
    head: string | null,
    base_commit: string | null,
  ): Promise<void> {
    await this.database.query(sql.SET_DELIVERED, [attempt_id, repo_id, head, base_commit]);
  }

  async setBranch(_tx: Transaction, id: string, branch: string): Promise<void> {
    await this.database.query(sql.SET_BRANCH, [id, branch]);
  }

  async setTarget(
    _tx: Transaction,
    { attempt_id, repo_id }: Pick<AttemptRepo, 'attempt_id' | 'repo_id'>,
    target_branch: string,
  ): Promise<void> {
    await this.database.query(sql.SET_TARGET, [attempt_id, repo_id, target_branch]);
  }

  /** What its last turn left; null where that is not known. */
  async setAssessment(id: string, { changes, would_conflict, work_print }: Assessment): Promise<void> {
    const values = [changes?.file_count, changes?.added, changes?.deleted, would_conflict, work_print];
    await this.database.query(sql.SET_ASSESSMENT, [id, ...values.map((value) => value ?? null)]);
  }

  async setDeliveryState(_tx: Transaction, id: string, state: DeliveryState): Promise<void> {
    await this.database.query(sql.SET_DELIVERY_STATE, [id, withoutRun(state)]);
  }

  /** @param url of the newest pull request */
  async setPullRequest(_tx: Transaction, id: string, state: DeliveryState, url: string): Promise<void> {
    await this.database.query(sql.SET_PULL_REQUEST, [id, withoutRun(state), url]);
  }

  private async getVisible(statement: string, principal: Principal, id: string): Promise<VisibleAttempt> {
    const values = [id, projectScope(principal), membershipOf(principal)];
    const [attempt] = await this.database.query<VisibleAttempt & Guarded>(statement, values);
    return this.requireReadable(attempt ?? null, principal, id);
  }

  private requireReadable<T extends Guarded>(row: T | null, principal: Principal, id: string): T {
    const nothing = () => new AppError('attempt_not_found', { attempt_id: id });
    if (!row) throw nothing();
    return requireRole(row, principal, nothing);
  }
}

/** What its run adds is read from the run. */
const withoutRun = (state: DeliveryState): DeliveryState =>
  state === 'running' || state === 'failed' ? 'ready' : state;
