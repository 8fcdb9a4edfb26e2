import { Inject, Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AuditService } from '../audit/audit.service.js';
import { EventLog } from '../events/event-log.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { TURN_QUEUE, type TurnQueue } from '../platform/queue/turn-queue.js';
import type { DeletedProjectOutput } from '../projects/project.dto.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { disposalOf } from '../turns/housekeeping-kinds.js';

/** Deletes a project and its tasks softly, in a number of statements that does not grow with that of the tasks. */
@Injectable()
export class DeleteProjectService {
  constructor(
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    private readonly database: Database,
    private readonly projectRows: ProjectsRepository,
    private readonly taskRows: TasksRepository,
    private readonly audit: AuditService,
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly events: EventLog,
  ) {}

  /** @throws AppError project_not_found, not_a_member, forbidden, project_in_use */
  deleteProject(project_id: string, principal: Principal): Promise<DeletedProjectOutput> {
    return this.database.transaction(async (tx) => {
      await this.projectRows.get(principal, project_id);
      await this.taskRows.lockAll(tx, project_id);
      const project = await this.projectRows.lock(tx, principal, project_id);
      if (await this.executionRows.findLiveOfProject(project_id)) throw new AppError('project_in_use', { project_id });
      await this.projectRows.update(tx, project_id, { deleted_at: new Date() });
      const task_ids = await this.taskRows.deleteAll(tx, project_id, principal);
      this.events.written(project_id);
      await this.audit.record(tx, principal, {
        entity_type: 'project',
        entity_id: project_id,
        project_id,
        action: 'deleted',
        details: { before: { name: project.name } },
      });
      await this.queue.addHousekeeping(tx, disposalOf(await this.attemptRows.listIdsOfTasks(task_ids)));
      return { deleted_project_id: project_id };
    });
  }
}
