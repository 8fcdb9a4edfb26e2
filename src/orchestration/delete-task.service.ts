import { Inject, Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { TURN_QUEUE, type TurnQueue } from '../platform/queue/turn-queue.js';
import type { DeletedTaskOutput } from '../tasks/task.dto.js';
import { TaskWriter } from '../tasks/task-writer.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { disposalOf } from '../turns/housekeeping-kinds.js';

/** Deletes a task softly: the row stays for the audit, the worktrees go in the background. */
@Injectable()
export class DeleteTaskService {
  constructor(
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    private readonly database: Database,
    private readonly taskRows: TasksRepository,
    private readonly writer: TaskWriter,
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
  ) {}

  /** @throws AppError task_not_found, not_a_member, task_has_subtasks, task_running */
  deleteTask(task_id: string, principal: Principal): Promise<DeletedTaskOutput> {
    return this.database.transaction(async (tx) => {
      const task = await this.taskRows.lock(tx, principal, task_id);
      const subtasks = await this.taskRows.listChildren(task_id);
      if (subtasks.length) throw new AppError('task_has_subtasks', { task_id, subtasks });
      const live = await this.executionRows.findLiveOfTask(task_id);
      if (live) throw new AppError('task_running', { task_id, attempt_id: live.attempt_id });
      await this.writer.delete(tx, task, principal);
      await this.queue.addHousekeeping(tx, disposalOf(await this.attemptRows.listIdsOfTasks([task_id])));
      return { deleted_task_id: task_id };
    });
  }
}
