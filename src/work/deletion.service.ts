import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AuditService } from '../audit/audit.service.js';
import { Jobs } from '../cluster/jobs.js';
import { EventLog } from '../events/event-log.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import type { DeletedProjectOutput } from '../projects/project.dto.js';
import { projectFact } from '../projects/project.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { DeletedTaskOutput, TaskOutput } from '../tasks/task.dto.js';
import { TaskTree } from '../tasks/task-tree.js';
import { TaskWriter } from '../tasks/task-writer.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { TasksService } from '../tasks/tasks.service.js';

/** As long as the view kept_tasks keeps a deleted task, and a moment, because two clocks round. */
const KEPT_SECS = 24 * 3_600 + 60;

/** Deletes softly: the rows stay for the audit, the worktrees of a task go after a day, in which it can be restored;
 *  those of a project at once. */
@Injectable()
export class DeletionService {
  constructor(
    private readonly jobs: Jobs,
    private readonly database: Database,
    private readonly projectRows: ProjectsRepository,
    private readonly taskRows: TasksRepository,
    private readonly tasks: TasksService,
    private readonly tree: TaskTree,
    private readonly writer: TaskWriter,
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly audit: AuditService,
    private readonly events: EventLog,
  ) {}

  /** @throws AppError task_not_found, not_a_member, task_has_subtasks, task_running */
  deleteTask(task_id: string, principal: Principal): Promise<DeletedTaskOutput> {
    return this.database.transaction(async (tx) => {
      const task = await this.taskRows.lock(tx, principal, task_id);
      const subtasks = await this.taskRows.listChildren(task_id);
      if (subtasks.length) throw new AppError('task_has_subtasks', { task_id, subtasks });
      const live = await this.executionRows.findLiveOfTask(task_id);
      if (live) throw new AppError('task_running', { task_id, attempt_id: live.attempt_id });
      const unmerged_branches = await this.attemptRows.listUnmerged(task_id);
      await this.writer.delete(tx, task, principal);
      await this.disposeWorkspaces(tx, [task_id], KEPT_SECS);
      return { deleted_task_id: task_id, unmerged_branches };
    });
  }

  /** With its tasks, in a fixed number of statements.
   *  @throws AppError project_not_found, not_a_member, forbidden, project_in_use */
  deleteProject(project_id: string, principal: Principal): Promise<DeletedProjectOutput> {
    return this.database.transaction(async (tx) => {
      await this.projectRows.get(principal, project_id);
      await this.taskRows.lockAll(tx, project_id);
      const project = await this.projectRows.lock(tx, principal, project_id);
      if (await this.executionRows.findLiveOfProject(project_id)) throw new AppError('project_in_use', { project_id });
      await this.projectRows.delete(tx, project_id);
      const task_ids = await this.taskRows.deleteAll(tx, project_id, principal);
      this.events.written(project_id);
      await this.audit.record(tx, principal, projectFact(project_id, 'deleted', { before: { name: project.name } }));
      await this.disposeWorkspaces(tx, task_ids, 0);
      return { deleted_project_id: project_id };
    });
  }

  /** What was deleted within a day comes back as it was; what was not deleted stays so.
   *  @throws AppError task_not_found, not_a_member, restore_too_late, parent_deleted */
  restoreTask(task_id: string, principal: Principal): Promise<TaskOutput> {
    return this.database.transaction(async (tx) => {
      const task = await this.tree.lockWithParent(tx, task_id, principal);
      if (task.deleted_at !== null) await this.writer.restore(tx, task, principal);
      return this.tasks.get(task_id, principal);
    });
  }

  private async disposeWorkspaces(tx: Transaction, task_ids: string[], startAfter: number): Promise<void> {
    const attempt_ids = await this.attemptRows.listIdsOfTasks(task_ids);
    await this.jobs.send(tx, { kind: 'dispose_workspaces', data: { attempt_ids }, startAfter });
  }
}
