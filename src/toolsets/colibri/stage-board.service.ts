import { Injectable } from '@nestjs/common';
import { IdempotencyService } from '../../idempotency/idempotency.service.js';
import type { Principal } from '../../platform/access/principal.js';
import { Database } from '../../platform/database/database.js';
import { AppError } from '../../platform/errors/app-error.js';
import { refusal } from '../../platform/fields/input-errors.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import { WorkersRepository } from '../../workers/workers.repository.js';
import { type StagePage, StageBoardRepository, type StageTask } from './stage-board.repository.js';
import { MAX_ROWS } from './stage-board.sql.js';
import type { Stage } from '../../tasks/task-stage.js';
import type { TaskPatch } from '../../tasks/task-change.js';
import { TaskWriter } from '../../tasks/task-writer.js';
import type { CreatedTaskOutput } from '../../tasks/task.dto.js';
import { TasksRepository } from '../../tasks/tasks.repository.js';
import { ThoughtsService } from '../../thoughts/thoughts.service.js';

export interface StagePatch {
  title?: string;
  status?: Stage;
  project_id?: string | null;
  description?: string | null;
  priority?: string | null;
  assignee?: string | null;
}
export interface StageListing {
  status?: Stage;
  project_id?: string | null;
  limit?: number;
  offset?: number;
  include_deleted?: boolean;
}

const DEFAULT_ROWS = 100;
const MAX_ASSIGNEE = 255;

/** The board in its exact stages: any stage may follow any other, and a task needs no project. */
@Injectable()
export class StageBoardService {
  constructor(
    private readonly database: Database,
    private readonly board: StageBoardRepository,
    private readonly taskRows: TasksRepository,
    private readonly projectRows: ProjectsRepository,
    private readonly workerRows: WorkersRepository,
    private readonly writer: TaskWriter,
    private readonly idempotency: IdempotencyService,
    private readonly thoughts: ThoughtsService,
  ) {}

  async create(
    { request_id, ...input }: StagePatch & { title: string; request_id?: string },
    principal: Principal,
  ): Promise<StageTask & Pick<CreatedTaskOutput, 'replayed'>> {
    const { task_id, replayed } = await this.idempotency.once<CreatedTaskOutput>(
      { operation: 'stage_create_task', principal, key: request_id, payload: input },
      async (tx) => ({
        task_id: await this.writer.create(
          tx,
          { ...(await this.patchOf(input, principal)), title: input.title },
          principal,
        ),
      }),
    );
    return { ...(await this.get(task_id, principal)), ...(replayed && { replayed }) };
  }

  /** @throws AppError task_not_found, not_a_member */
  async get(id: string, principal: Principal): Promise<StageTask> {
    return this.board.get(principal, id);
  }

  /** All or nothing. Setting DONE through Colibri needs a thought record; a task that another dialect completed stays
   *  DONE without one.
   *  @throws AppError task_not_found, not_a_member, project_not_found, task_tied, writeback_required */
  async update(id: string, patch: StagePatch, principal: Principal): Promise<StageTask> {
    await this.get(id, principal);
    await this.database.transaction(async (tx) => {
      const task = await this.taskRows.lock(tx, principal, id);
      if (patch.status === 'DONE' && !(await this.thoughts.hasRecord(task.id)))
        throw new AppError('writeback_required', { task_id: id, missing_fields: ['thought_record'] });
      await this.writer.change(tx, task, await this.patchOf(patch, principal), principal);
    });
    return this.get(id, principal);
  }

  /** In the order of insertion; `total_count` counts all. */
  async list(
    { status, limit, offset, include_deleted, project_id }: StageListing,
    principal: Principal,
  ): Promise<StagePage> {
    const filter = { stage: status, include_deleted };
    const page = [Math.min(limit ?? DEFAULT_ROWS, MAX_ROWS), offset ?? 0] as const;
    if (project_id === undefined || project_id === null)
      return this.board.list(principal, { ...filter, project_id }, ...page);
    const project = await this.projectRows.findByReference(project_id);
    if (project === null) return { rows: [], total: 0, offset: 0 }; // an unknown project matches nothing
    return this.board.list(principal, { ...filter, project_id: project.id }, ...page);
  }

  async nextActions(principal: Principal): Promise<StagePage> {
    return this.board.listOpen(principal, MAX_ROWS);
  }

  private async patchOf(
    { status, project_id, assignee, ...fields }: StagePatch,
    principal: Principal,
  ): Promise<TaskPatch> {
    return {
      ...fields,
      ...(status === undefined ? {} : { stage: status }),
      ...(project_id === undefined
        ? {}
        : { project_id: project_id === null ? null : await this.requireProject(project_id, principal) }),
      ...(assignee === undefined ? {} : await this.assigneeOf(assignee)),
    };
  }

  /** Text that names a worker links it; any other text is kept as it is. */
  private async assigneeOf(assignee: string | null): Promise<Pick<TaskPatch, 'assignee_worker_id' | 'assignee_text'>> {
    if (assignee === null) return { assignee_worker_id: null, assignee_text: null };
    if (assignee.length > MAX_ASSIGNEE)
      throw refusal([{ field: 'assignee', message: `assignee is longer than ${MAX_ASSIGNEE} characters` }]);
    const worker = await this.workerRows.find(assignee);
    return worker
      ? { assignee_worker_id: worker.id, assignee_text: null }
      : { assignee_worker_id: null, assignee_text: assignee };
  }

  /** By id or slug. @throws AppError project_not_found, not_a_member */
  private async requireProject(reference: string, principal: Principal): Promise<string> {
    const project = await this.projectRows.findByReference(reference);
    if (!project) throw new AppError('project_not_found', { project_id: reference });
    return (await this.projectRows.get(principal, project.id)).id;
  }
}
