import { Injectable } from '@nestjs/common';
import { BroadReads } from '../platform/access/broad-reads.js';
import { type Guarded, membershipOf, projectScope, refusalFor, requireRole } from '../platform/access/rights.js';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type PreparedStatement, type Transaction } from '../platform/database/database.js';
import { NOW } from '../platform/database/record-time.js';
import { RowLoader } from '../platform/database/row-loader.js';
import type { TextTimes } from '../platform/database/text-times.js';
import { termQuery } from '../platform/database/word-search.js';
import { AppError } from '../platform/errors/app-error.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import type { Principal } from '../platform/access/principal.js';
import type { UsageOutput } from '../executors/usage.dto.js';
import type { KeyClaim } from '../idempotency/idempotency.repository.js';
import { listedOr, signOf } from './found-tasks.sql.js';
import { CREATE, CREATE_ONCE, INSERT, newTaskValues } from './create-task.sql.js';
import { DELETE_ALL, LOCK_ALL } from './delete-tasks.sql.js';
import { LIST, LIST_DELETED, LIST_OF_STATUS, LIST_OF_WORDS, LIST_SUBTASKS, ONE } from './read-tasks.sql.js';
import type { AttemptSummaryFields, TaskRowOutput } from './task.dto.js';
import type { ListProjectTasksInput } from './task-list.dto.js';
import { type NewTask, Task } from './task.entity.js';

type TaskFilter = Pick<ListProjectTasksInput, 'project_id' | 'status' | 'query' | 'archived' | 'cursor'>;
type ListedTask = Task & AttemptSummaryFields & Pick<TaskRowOutput, 'pr_url' | 'checks_state'>;
export type ShownTask = ListedTask & { assignee_handle: string | null; usage: UsageOutput | null };
type DeletedTask = Pick<Task, 'id' | 'title' | 'status'> & { deleted_at: Date };
export type TaskWithAttempts = TextTimes<ListedTask>;

@Injectable()
export class TasksRepository {
  private readonly shown: RowLoader<ShownTask & Guarded>;

  constructor(
    private readonly database: Database,
    private readonly broad: BroadReads,
  ) {
    this.shown = new RowLoader(database, ONE, ({ id }) => id);
  }

  /** Newest first, in one statement; a project that does not exist or is hidden from the worker has none. */
  async list(
    principal: Principal,
    { project_id, status, query, archived, cursor }: TaskFilter,
    limit: number,
  ): Promise<Page<TaskWithAttempts>> {
    const values = [
      project_id,
      projectScope(principal),
      cursor ?? Number.MAX_SAFE_INTEGER,
      limit + 1,
      membershipOf(principal),
    ];
    const read = (statement: PreparedStatement, more: unknown[]) =>
      this.database.queryPrepared<ListedTask>(statement, [...values, ...more]);
    if (query !== undefined || archived === true) {
      const { signs, ...rest } = listedOr(archived);
      const asked = [signOf.project(project_id), ...(status ? [signOf.status(status)] : []), ...signs];
      const terms = termQuery({ ...rest, words: query, signs: asked });
      return this.broad.read(principal, 'a further word', async () =>
        toPage(await read(LIST_OF_WORDS, [terms]), limit),
      );
    }
    return toPage(await (status ? read(LIST_OF_STATUS, [status]) : read(LIST, [])), limit);
  }

  /** Of a task that the caller sees, newest first. */
  async listSubtasks(task_id: string, limit: number, cursor?: number): Promise<Page<TaskWithAttempts>> {
    const values = [task_id, cursor ?? Number.MAX_SAFE_INTEGER, limit + 1];
    return toPage(await this.database.queryPrepared<ListedTask>(LIST_SUBTASKS, values), limit);
  }

  /** Of a project that the caller sees. */
  listDeleted(project_id: string, limit: number): Promise<TextTimes<DeletedTask>[]> {
    return this.database.queryPrepared<DeletedTask>(LIST_DELETED, [project_id, limit]);
  }

  /** @throws AppError task_not_found, not_a_member */
  getWithAttempts(principal: Principal, id: string): Promise<TextTimes<ShownTask>> {
    const nothing = () => new AppError('task_not_found', { task_id: id });
    return this.shown.find(principal, id).then((task) => {
      if (!task) throw nothing();
      return requireRole(task, principal, nothing);
    });
  }

  /** Deleted or not. @throws AppError task_not_found, not_a_member */
  async getKnown(principal: Principal, id: string): Promise<Pick<Task, 'project_id' | 'parent_task_id'>> {
    const [task] = await this.database.query<Guarded & Pick<Task, 'project_id' | 'parent_task_id'>>(
      `SELECT project_id, parent_task_id, project_role(project_id, $3) AS project_role
       FROM tasks
       WHERE id = $1 AND ($2::uuid[] IS NULL OR project_id = ANY($2))`,
      [id, projectScope(principal), membershipOf(principal)],
    );
    const nothing = () => new AppError('task_not_found', { task_id: id });
    if (!task) throw nothing();
    return requireRole(task, principal, nothing);
  }

  /** Locked as below, also where it was deleted. @throws AppError task_not_found, not_a_member, restore_too_late */
  async lockKept(_tx: Transaction, principal: Principal, id: string): Promise<Task> {
    await this.getKnown(principal, id);
    const [task] = await this.database.query<Task & { is_kept: boolean }>(
      `SELECT ${columnsOf(Task)}, EXISTS (SELECT FROM kept_tasks k WHERE k.id = t.id) AS is_kept
       FROM tasks t
       WHERE id = $1
       FOR NO KEY UPDATE OF t`,
      [id],
    );
    if (!task!.is_kept) throw new AppError('restore_too_late', { task_id: id });
    return task!;
  }

  /** The row, locked until the end of the transaction. Lock order: idempotency key, attempt, task (smaller id first),
   *  project, then what refers to them. Referring rows hold a share of the task's key, so a stronger lock could
   *  deadlock. @throws AppError task_not_found, not_a_member */
  async lock(_tx: Transaction, principal: Principal, id: string): Promise<Task> {
    const [task] = await this.database.query<Task & Guarded>(
      `SELECT ${columnsOf(Task)}, project_role(project_id, $3) AS project_role
       FROM tasks
       WHERE id = $1 AND deleted_at IS NULL AND ($2::uuid[] IS NULL OR project_id = ANY($2))
       FOR NO KEY UPDATE`,
      [id, projectScope(principal), membershipOf(principal)],
    );
    const nothing = () => new AppError('task_not_found', { task_id: id });
    if (!task) throw nothing();
    return requireRole(task, principal, nothing);
  }

  /** With its audit and event. */
  async insert(_tx: Transaction, created: CreatedTask): Promise<void> {
    await this.database.queryPrepared(INSERT, creationValues(created));
  }

  /** The same where nothing else is written: project, key, task, audit and event are one statement and one round trip.
   *  @returns false where another request holds the key, or why nothing was written */
  insertAlone(principal: Principal, created: CreatedTask, claim: KeyClaim | null): Promise<boolean | AppError> {
    const values = [...creationValues(created), projectScope(principal), membershipOf(principal)];
    const [statement, all] = claim ? [CREATE_ONCE, [...values, ...claimValues(claim)]] : [CREATE, values];
    return this.database.queryPrepared<Creation>(statement, all).then(([row]) => {
      if (row?.is_created) return true;
      const { project_id } = created.task;
      const nothing = () => new AppError('project_not_found', { project_id });
      if (!row?.is_known) return nothing();
      return refusalFor({ ...row, project_id }, principal, nothing) ?? false;
    });
  }

  async update(_tx: Transaction, id: string, change: Partial<NewTask>): Promise<void> {
    await this.database.manager.update(Task, { id }, { ...change, updated_at: NOW });
  }

  /** Softly: the row stays for the audit and the records that hang on it. */
  async delete(_tx: Transaction, id: string): Promise<void> {
    await this.database.manager.update(Task, { id }, { deleted_at: NOW, updated_at: NOW });
  }

  async archive(_tx: Transaction, id: string, archived: boolean): Promise<void> {
    await this.database.manager.update(Task, { id }, { archived_at: archived ? NOW : null, updated_at: NOW });
  }

  async restore(_tx: Transaction, id: string): Promise<void> {
    await this.database.manager.update(Task, { id }, { deleted_at: null, updated_at: NOW });
  }

  /** Reopens the record of a task that a delivery had closed. @returns false if none had */
  async forgetDelivery(_tx: Transaction, id: string): Promise<boolean> {
    return (await this.database.affected(FORGET_DELIVERY, [id])) > 0;
  }

  /** Why a task cannot leave its project, in words; null if nothing ties it. */
  async findTie(id: string): Promise<string | null> {
    const [row] = await this.database.query<{ tie: string | null }>(
      `SELECT CASE
         WHEN t.parent_task_id IS NOT NULL THEN 'it is a subtask'
         WHEN EXISTS (SELECT 1 FROM live_tasks c WHERE c.parent_task_id = t.id) THEN 'it has subtasks'
         WHEN EXISTS (SELECT 1 FROM attempts a WHERE a.task_id = t.id) THEN 'it has attempts'
       END AS tie
       FROM tasks t WHERE t.id = $1`,
      [id],
    );
    return row?.tie ?? null;
  }

  /** Live tasks directly below one, at most 20. */
  async listChildren(id: string): Promise<string[]> {
    return (
      await this.database.query<{ id: string }>(
        'SELECT id FROM live_tasks WHERE parent_task_id = $1 ORDER BY number LIMIT 20',
        [id],
      )
    ).map((row) => row.id);
  }

  /** The live tasks of a project, locked until the end of the transaction. */
  async lockAll(_tx: Transaction, project_id: string): Promise<void> {
    await this.database.query(LOCK_ALL, [project_id]);
  }

  /** With their audit and events. @returns their ids */
  async deleteAll(_tx: Transaction, project_id: string, { worker, actor, caller }: Principal): Promise<string[]> {
    const rows = await this.database.query<{ task_id: string }>(DELETE_ALL, [
      project_id,
      worker,
      actor.name,
      actor.type,
      caller,
    ]);
    return rows.map((row) => row.task_id);
  }
}

/** A new task with what its audit says. */
export interface CreatedTask extends Pick<Principal, 'actor' | 'caller'> {
  task: NewTask;
  details: Record<string, unknown>;
}

type Creation = Guarded & { is_known: boolean; is_created: boolean };
const creationValues = ({ task, actor, caller, details }: CreatedTask): unknown[] => [
  ...newTaskValues(task),
  JSON.stringify(details),
  actor.name,
  actor.type,
  caller,
];
const claimValues = ({ operation, principal_id, key, request_hash, result, waitMs }: KeyClaim): unknown[] => [
  operation,
  principal_id,
  key,
  request_hash,
  JSON.stringify(result),
  `${waitMs}ms`,
];

const FORGET_DELIVERY = 'UPDATE deliveries SET moved_task = false WHERE task_id = $1 AND moved_task';
