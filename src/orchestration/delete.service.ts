import { Inject, Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { TURN_QUEUE, type TurnQueue } from '../platform/queue/turn-queue.js';
import type { DeletedProjectOutput } from '../projects/project.dto.js';
import { ProjectMembersRepository } from '../projects/project-members.repository.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { DeletedTaskOutput } from '../tasks/task.dto.js';
import { TaskWriter } from '../tasks/task-writer.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { DISPOSE_WORKSPACES } from '../turns/housekeeping-kinds.js';

/** Deletes softly: the rows stay for the audit, the worktrees go in the background. */
@Injectable()
export class DeleteService {
  constructor(
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly members: ProjectMembersRepository,
    private readonly tasks: TasksRepository,
    private readonly writer: TaskWriter,
    private readonly audit: AuditService,
    private readonly attempts: AttemptsRepository,
    private readonly executions: ExecutionsRepository,
  ) {}

  /** @throws AppError task_not_found, not_a_member, task_has_subtasks, task_running */
  deleteTask(task_id: string, principal: Principal): Promise<DeletedTaskOutput> {
    return this.database.transaction(async (tx) => {
      const task = await this.tasks.lock(tx, principal, task_id);
      const subtasks = await this.tasks.listChildren(task_id);
      if (subtasks.length) throw new AppError('task_has_subtasks', { task_id, subtasks });
      const live = await this.executions.findLiveOfTask(task_id);
      if (live) throw new AppError('task_running', { task_id, attempt_id: live.attempt_id });
      await this.writer.delete(tx, task, principal);
      await this.disposeOf(tx, await this.attempts.listIdsOfTasks([task_id]));
      return { deleted_task_id: task_id };
    });
  }

  /** The number of its statements does not grow with that of the tasks. @throws AppError project_not_found, project_in_use */
  deleteProject(project_id: string, principal: Principal): Promise<DeletedProjectOutput> {
    return this.database.transaction(async (tx) => {
      await this.projects.get(principal, project_id);
      await this.requireOwner(project_id, principal);
      await this.tasks.lockAll(tx, project_id);
      const project = await this.projects.lock(tx, principal, project_id);
      if (await this.executions.findLiveOfProject(project_id)) throw new AppError('project_in_use', { project_id });
      await this.projects.update(tx, project_id, { deleted_at: new Date() });
      const task_ids = await this.writer.deleteAll(tx, project_id, principal);
      await this.audit.record(tx, principal, {
        entity_type: 'project',
        entity_id: project_id,
        project_id,
        action: 'deleted',
        details: { before: { name: project.name } },
      });
      await this.disposeOf(tx, await this.attempts.listIdsOfTasks(task_ids));
      return { deleted_project_id: project_id };
    });
  }

  private async requireOwner(project_id: string, { worker }: Principal): Promise<void> {
    if (
      worker === null ||
      !(await this.members.hasMembers(project_id)) ||
      (await this.members.findRole(project_id, worker)) === 'owner'
    )
      return;
    throw new AppError('forbidden', { reason: 'only an owner may delete the project' });
  }

  private async disposeOf(tx: Transaction, attempt_ids: string[]): Promise<void> {
    if (attempt_ids.length) await this.queue.addHousekeeping(tx, { kind: DISPOSE_WORKSPACES, data: { attempt_ids } });
  }
}
