import { Injectable } from '@nestjs/common';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { requireCaller } from '../platform/access/rights.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import type { ArchiveTaskInput, TaskOutput } from '../tasks/task.dto.js';
import { TaskWriter } from '../tasks/task-writer.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { TasksService } from '../tasks/tasks.service.js';

/** Takes tasks off the board that nobody works on any more. All of them stays, and a run brings it back. */
@Injectable()
export class ArchiveService {
  constructor(
    private readonly database: Database,
    private readonly taskRows: TasksRepository,
    private readonly tasks: TasksService,
    private readonly writer: TaskWriter,
    private readonly executionRows: ExecutionsRepository,
  ) {}

  /** A task that is there already stays as it is.
   *  @throws AppError task_not_found, not_a_member, forbidden, task_running */
  async archive({ task_id, archived = true }: ArchiveTaskInput, principal: Principal): Promise<TaskOutput> {
    requireCaller(principal, false, 'archive tasks');
    await this.database.transaction(async (tx) => {
      const task = await this.taskRows.lock(tx, principal, task_id);
      if ((task.archived_at !== null) === archived) return;
      const live = archived ? await this.executionRows.findLiveOfTask(task_id) : null;
      if (live) throw new AppError('task_running', { task_id, attempt_id: live.attempt_id });
      await this.writer.archive(tx, task, archived, principal);
    });
    return this.tasks.get(task_id, principal);
  }
}
