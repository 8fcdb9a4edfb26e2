import { Injectable } from '@nestjs/common';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { refusal } from '../platform/fields/input-errors.js';
import { pageLimit } from '../platform/fields/paging.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { toTaskOutput, toTaskRowOutput } from './task-output.js';
import type { CreatedTaskOutput, CreateTaskInput, ListTasksInput, ListTasksOutput, PutTaskInput, TaskOutput } from './task.dto.js';
import type { Task } from './task.entity.js';
import { enterStatus, type Stage } from './task-stage.js';
import { TasksRepository } from './tasks.repository.js';

const MAX_TITLE = 500;

@Injectable()
export class TasksService {
  constructor(
    private readonly database: Database,
    private readonly tasks: TasksRepository,
    private readonly projects: ProjectsRepository,
    private readonly idempotency: IdempotencyService,
  ) {}

  async list(input: ListTasksInput, principal: Principal): Promise<ListTasksOutput> {
    await this.projects.get(principal, input.project_id);
    const limit = pageLimit(input.limit);
    const { rows, ...page } = await this.tasks.list(principal, input, limit);
    return { project_id: input.project_id, ...page, applied_filters: { ...(input.status ? { status: input.status } : {}), limit }, tasks: rows.map(toTaskRowOutput) };
  }

  async get(task_id: string, principal: Principal): Promise<TaskOutput> {
    return toTaskOutput(await this.tasks.getWithAttempts(principal, task_id));
  }

  async create(input: CreateTaskInput, principal: Principal): Promise<CreatedTaskOutput> {
    requireTitle(input.title);
    const task = { project_id: input.project_id, title: input.title.trim(), description: input.description || null };
    return this.idempotency.once({ operation: 'create_task', principal, key: input.request_id, payload: task, project_id: task.project_id }, async () => {
      await this.projects.get(principal, task.project_id);
      const now = new Date();
      const task_id = newId();
      await this.tasks.insert({
        id: task_id, ...task, stage: 'INIT', is_blocked: false, created_at: now, updated_at: now, deleted_at: null,
      });
      return { task_id };
    });
  }

  /** Fields that are given and differ; a write that changes nothing leaves updated_at alone. */
  async update(input: PutTaskInput, principal: Principal): Promise<TaskOutput> {
    if (input.title !== undefined) requireTitle(input.title);
    await this.database.transaction(async () => {
      const task = await this.tasks.lock(principal, input.task_id);
      const stage = input.stage ?? (input.status ? enterStatus(task.stage, input.status) : task.stage);
      await this.write(task, {
        title: input.title?.trim() ?? task.title,
        description: input.description === undefined ? task.description : input.description || null,
        stage,
      });
    });
    return this.get(input.task_id, principal);
  }

  /** A run of the task is live: it is in progress, unless a person closed it. Joins the open transaction. */
  async runStarted(task_id: string, principal: Principal): Promise<void> {
    await this.moveBoard(task_id, principal, (task) => (['done', 'cancelled'].includes(task.status) ? task.stage : enterStatus(task.stage, 'inprogress')));
  }

  /** The last live run of the task ended: it waits for review, unless somebody moved it meanwhile. Joins the open transaction. */
  async runEnded(task_id: string, principal: Principal): Promise<void> {
    await this.moveBoard(task_id, principal, (task) => (task.status === 'inprogress' ? 'VERIFY' : task.stage));
  }

  private async moveBoard(task_id: string, principal: Principal, next: (task: Task) => Stage): Promise<void> {
    const task = await this.tasks.lock(principal, task_id);
    await this.write(task, { stage: next(task) });
  }

  /** The one setter: every change of a task passes here. A new stage clears the block. */
  private async write(task: Task, wanted: { title?: string; description?: string | null; stage: Stage }): Promise<void> {
    const isMoved = wanted.stage !== task.stage;
    const change: Partial<Task> = {
      ...(wanted.title !== undefined && wanted.title !== task.title ? { title: wanted.title } : {}),
      ...(wanted.description !== undefined && wanted.description !== task.description ? { description: wanted.description } : {}),
      ...(isMoved ? { stage: wanted.stage, is_blocked: false } : {}),
    };
    if (Object.keys(change).length) await this.tasks.update(task.id, change);
  }
}

function requireTitle(title: string): void {
  if (title.length > MAX_TITLE) throw refusal([{ field: 'title', message: `title is longer than ${MAX_TITLE} characters; put the rest into description` }]);
}
