import { Inject, Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { RUN_QUEUE, type RunQueue } from '../platform/queue/run-queue.js';
import type { DeletedProjectOutput } from '../projects/project.dto.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { DeletedTaskOutput } from '../tasks/task.dto.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { DISPOSE_WORKSPACES } from './chores.js';

/** Deletes softly: the rows stay for the audit, the worktrees go in the background. */
@Injectable()
export class DeleteService {
  constructor(
    @Inject(RUN_QUEUE) private readonly queue: RunQueue,
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly tasks: TasksRepository,
    private readonly attempts: AttemptsRepository,
    private readonly executions: ExecutionsRepository,
  ) {}

  /** @throws AppError task_not_found, task_running */
  deleteTask(task_id: string, principal: Principal): Promise<DeletedTaskOutput> {
    return this.database.transaction(async () => {
      await this.tasks.lock(principal, task_id);
      const live = await this.executions.findLiveOfTask(task_id);
      if (live) throw new AppError('task_running', { task_id, attempt_id: live.attempt_id });
      await this.tasks.update(task_id, { deleted_at: new Date() });
      await this.disposeOf(await this.attempts.listIdsOfTasks([task_id]));
      return { deleted_task_id: task_id };
    });
  }

  /** @throws AppError project_not_found, project_in_use */
  deleteProject(project_id: string, principal: Principal): Promise<DeletedProjectOutput> {
    return this.database.transaction(async () => {
      await this.projects.get(principal, project_id);
      const task_ids = await this.tasks.listIds(project_id);
      for (const task_id of task_ids) await this.tasks.lock(principal, task_id);
      if (await this.executions.findLiveOfProject(project_id)) throw new AppError('project_in_use', { project_id });
      await this.projects.update(project_id, { deleted_at: new Date() });
      for (const task_id of task_ids) await this.tasks.update(task_id, { deleted_at: new Date() });
      await this.disposeOf(await this.attempts.listIdsOfTasks(task_ids));
      return { deleted_project_id: project_id };
    });
  }

  private async disposeOf(attempt_ids: string[]): Promise<void> {
    if (attempt_ids.length) await this.queue.addChore({ kind: DISPOSE_WORKSPACES, data: { attempt_ids } });
  }
}
