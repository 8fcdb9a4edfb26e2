import { Injectable } from '@nestjs/common';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { pageLimit } from '../platform/fields/paging.js';
import { StorageLimits, textBytes } from '../storage/storage-limits.service.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { rowChoice, toTaskOutput, toTaskRowOutput } from './task-output.js';
import type { AddedTaskOutput, AddTaskInput, CreatedTaskOutput, PutTaskInput, TaskOutput } from './task.dto.js';
import {
  type ListDeletedTasksOutput,
  type ListSubtasksInput,
  type ListSubtasksOutput,
  type ListProjectTasksInput,
  type ListTasksOutput,
  MAX_DELETED,
} from './task-list.dto.js';
import type { NewTask } from './task.entity.js';
import { enterStatus } from './task-stage.js';
import { patchOf, timeOf } from './task-patch.js';
import { TaskTree } from './task-tree.js';
import { TaskWriter } from './task-writer.js';
import { TasksRepository } from './tasks.repository.js';

@Injectable()
export class TasksService {
  constructor(
    private readonly database: Database,
    private readonly taskRows: TasksRepository,
    private readonly projectRows: ProjectsRepository,
    private readonly idempotency: IdempotencyService,
    private readonly tree: TaskTree,
    private readonly writer: TaskWriter,
    private readonly storage: StorageLimits,
  ) {}

  async list(input: ListProjectTasksInput, principal: Principal): Promise<ListTasksOutput> {
    const { project_id, status, query, fields } = input;
    const choose = rowChoice(fields);
    const limit = pageLimit(input.limit);
    const { rows, ...page } = await this.taskRows.list(principal, input, limit);
    // throws if the project is not visible
    if (rows.length === 0) await this.projectRows.get(principal, project_id);
    return {
      project_id,
      ...page,
      applied_filters: {
        ...(status ? { status } : {}),
        ...(query ? { query } : {}),

        limit,
      },
      tasks: rows.map(toTaskRowOutput).map(choose),
    };
  }

  /** What can be restored. @throws AppError project_not_found, not_a_member */
  async listDeleted(project_id: string, principal: Principal): Promise<ListDeletedTasksOutput> {
    await this.projectRows.get(principal, project_id);
    const rows = await this.taskRows.listDeleted(project_id, MAX_DELETED);
    return { project_id, tasks: rows.map(({ id, ...row }) => ({ task_id: id, ...row })) };
  }

  /** @throws AppError task_not_found, not_a_member */
  async listSubtasks(input: ListSubtasksInput, principal: Principal): Promise<ListSubtasksOutput> {
    const { task_id, limit, cursor } = input;
    await this.taskRows.getWithAttempts(principal, task_id);
    const { rows, ...page } = await this.taskRows.listSubtasks(task_id, pageLimit(limit), cursor);
    return { task_id, ...page, tasks: rows.map(toTaskRowOutput) };
  }

  get(task_id: string, principal: Principal): Promise<TaskOutput> {
    return this.taskRows.getWithAttempts(principal, task_id).then(toTaskOutput);
  }

  /** The task that a call has created, or an earlier one with its key. */
  async added({ task_id, replayed }: CreatedTaskOutput, principal: Principal): Promise<AddedTaskOutput> {
    return { ...(await this.get(task_id, principal)), ...(replayed && { replayed }) };
  }

  async create(input: AddTaskInput, principal: Principal): Promise<CreatedTaskOutput> {
    const { request_id, project_id, parent_task_id, due_date } = input;
    const patch = Object.assign(patchOf(input), { project_id, parent_task_id });
    const payload = { ...patch, due_date };
    const request = { operation: 'create_task', principal, key: request_id, payload, project_id };
    if (parent_task_id !== undefined)
      return this.idempotency.once(request, async (tx) => {
        await this.projectRows.get(principal, project_id);
        await this.tree.requireParent(tx, parent_task_id, project_id, principal);
        return { task_id: await this.writer.create(tx, patch, principal) };
      });
    const created = this.writer.make(patch, principal);
    return this.idempotency.onceInOneStatement(
      request,
      { task_id: created.task.id },
      async (claim) =>
        (await this.findRefusal(created.task, principal)) ?? this.writer.insertAlone(principal, created, claim),
    );
  }

  /** Fields that are given and differ; a write that changes nothing leaves updated_at alone.
   *  @throws AppError task_changed */
  async update(
    { task_id, description, status, stage, due_date, expected_updated_at, ...fields }: PutTaskInput,
    principal: Principal,
  ): Promise<TaskOutput> {
    await this.database.transaction(async (tx) => {
      const above = fields.parent_task_id;
      const task = above
        ? await this.tree.lockForMove(tx, task_id, above, principal)
        : await this.taskRows.lock(tx, principal, task_id);
      if (expected_updated_at !== undefined && Date.parse(expected_updated_at) !== task.updated_at.getTime())
        throw new AppError('task_changed', { task_id, current: await this.get(task_id, principal) });
      await this.writer.change(
        tx,
        task,
        {
          ...fields,
          description: description === undefined ? undefined : description || null,
          due_date: timeOf(due_date),
          stage: stage ?? (status ? enterStatus(task.stage, status) : undefined),
        },
        principal,
      );
    });
    return this.get(task_id, principal);
  }

  /** Also for a deleted task, whose audit stays. @throws AppError task_not_found, not_a_member */
  async requireVisible(task_id: string, principal: Principal): Promise<void> {
    await this.taskRows.getKnown(principal, task_id);
  }

  /** An execution of the task is live: it is on the board, and in progress unless a person closed it. */
  async executionStarted(tx: Transaction, task_id: string, principal: Principal): Promise<void> {
    const task = await this.taskRows.lock(tx, principal, task_id);
    if (task.archived_at !== null) await this.writer.archive(tx, task, false, principal);
    const isClosed = ['done', 'cancelled'].includes(task.status);
    const stage = isClosed ? task.stage : enterStatus(task.stage, 'inprogress');
    await this.writer.change(tx, task, { stage }, principal);
  }

  /** The last live execution of the task ended: moves it to review, unless somebody moved it meanwhile, even if a
   *  delivery had closed it. */
  async executionEnded(tx: Transaction, task_id: string, principal: Principal): Promise<void> {
    const task = await this.taskRows.lock(tx, principal, task_id);
    const isOpen = task.status === 'inprogress';
    if (isOpen || (task.status === 'done' && (await this.taskRows.forgetDelivery(tx, task_id))))
      await this.writer.change(tx, task, { stage: 'VERIFY' }, principal);
  }

  /** The work was shown to reviewers: moves a task in progress to review. */
  async shownToReviewers(tx: Transaction, task_id: string, principal: Principal, note: string): Promise<void> {
    const task = await this.taskRows.lock(tx, principal, task_id);
    if (task.status === 'inprogress') await this.writer.change(tx, task, { stage: 'VERIFY' }, principal, { note });
  }

  /** All work of the task is delivered: it is done, unless somebody closed it before. @returns whether that moved it */
  async delivered(tx: Transaction, task_id: string, principal: Principal, note: string): Promise<boolean> {
    const task = await this.taskRows.lock(tx, principal, task_id);
    if (['done', 'cancelled'].includes(task.status)) return false;
    await this.writer.change(tx, task, { stage: 'DONE' }, principal, { note });
    return true;
  }

  /** A delivery that had closed the task was undone. */
  async deliveryUndone(tx: Transaction, task_id: string, principal: Principal, note: string): Promise<void> {
    const task = await this.taskRows.lock(tx, principal, task_id);
    if ((await this.taskRows.forgetDelivery(tx, task_id)) && task.status === 'done')
      await this.writer.change(tx, task, { stage: 'VERIFY' }, principal, { note });
  }

  /** Only those who may write in a project learn that it is full. @throws AppError project_not_found */
  private async findRefusal({ project_id, title, description }: NewTask, principal: Principal) {
    const refusal = await this.storage.find(project_id, principal, textBytes(title, description));
    if (refusal !== null && project_id !== null) await this.projectRows.get(principal, project_id);
    return refusal;
  }
}
