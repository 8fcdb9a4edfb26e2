import { Injectable } from '@nestjs/common';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { pageLimit } from '../platform/fields/paging.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { toTaskOutput, toTaskRowOutput } from './task-output.js';
import type {
  AddTaskInput,
  CreatedTaskOutput,
  ListTasksInput,
  ListTasksOutput,
  PutTaskInput,
  TaskOutput,
} from './task.dto.js';
import type { Task } from './task.entity.js';
import { enterStatus, type Stage } from './task-stage.js';
import { timeOf, wishOf } from './task-wish.js';
import { TaskWriter } from './task-writer.js';
import { TasksRepository } from './tasks.repository.js';

@Injectable()
export class TasksService {
  constructor(
    private readonly database: Database,
    private readonly tasks: TasksRepository,
    private readonly projects: ProjectsRepository,
    private readonly idempotency: IdempotencyService,
    private readonly writer: TaskWriter,
  ) {}

  async list(input: ListTasksInput, principal: Principal): Promise<ListTasksOutput> {
    const limit = pageLimit(input.limit);
    const { rows, ...page } = await this.tasks.list(principal, input, limit);
    if (rows.length === 0) await this.projects.get(principal, input.project_id); // throws if the project is not visible
    return {
      project_id: input.project_id,
      ...page,
      applied_filters: { ...(input.status ? { status: input.status } : {}), limit },
      tasks: rows.map(toTaskRowOutput),
    };
  }

  async get(task_id: string, principal: Principal): Promise<TaskOutput> {
    return toTaskOutput(await this.tasks.getWithAttempts(principal, task_id));
  }

  async create({ request_id, project_id, ...fields }: AddTaskInput, principal: Principal): Promise<CreatedTaskOutput> {
    const task = { ...wishOf(fields), project_id };
    const payload = { ...task, due_date: fields.due_date };
    return this.idempotency.once(
      { operation: 'create_task', principal, key: request_id, payload, project_id },
      async () => {
        await this.projects.get(principal, project_id);
        return { task_id: await this.writer.create(task, principal) };
      },
    );
  }

  /** Fields that are given and differ; a write that changes nothing leaves updated_at alone. */
  async update(
    { task_id, description, status, stage, due_date, ...fields }: PutTaskInput,
    principal: Principal,
  ): Promise<TaskOutput> {
    await this.database.transaction(async () => {
      const task = await this.tasks.lock(principal, task_id);
      await this.writer.change(
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
    await this.tasks.requireKnown(principal, task_id);
  }

  /** A run of the task is live: it is in progress, unless a person closed it. Joins the open transaction. */
  async runStarted(task_id: string, principal: Principal): Promise<void> {
    await this.moveBoard(task_id, principal, (task) =>
      ['done', 'cancelled'].includes(task.status) ? task.stage : enterStatus(task.stage, 'inprogress'),
    );
  }

  /** The last live run of the task ended: it waits for review, unless somebody moved it meanwhile. Joins the open transaction. */
  async runEnded(task_id: string, principal: Principal): Promise<void> {
    await this.moveBoard(task_id, principal, (task) => (task.status === 'inprogress' ? 'VERIFY' : task.stage));
  }

  private async moveBoard(task_id: string, principal: Principal, next: (task: Task) => Stage): Promise<void> {
    const task = await this.tasks.lock(principal, task_id);
    await this.writer.change(task, { stage: next(task) }, principal);
  }
}
