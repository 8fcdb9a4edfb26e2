import { Injectable } from '@nestjs/common';
import type { Principal } from '../../platform/access/principal.js';
import { refusal } from '../../platform/fields/input-errors.js';
import { pageLimit } from '../../platform/fields/paging.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import type { TaskOutput } from '../../tasks/task.dto.js';
import { TaskflowBoardRepository, type WorkflowTask } from './taskflow-board.repository.js';
import type { TaskflowStatus } from '../../tasks/taskflow-status.js';
import { TasksService } from '../../tasks/tasks.service.js';

const DEFAULT_TASKS = 50;
const MAX_TASKS = 100;

/** The board as TaskFlow lists and edits it. */
@Injectable()
export class TaskflowBoardService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly board: TaskflowBoardRepository,
    private readonly tasks: TasksService,
  ) {}

  /** Newest first; `all` is every status. @throws AppError project_not_found, not_a_member */
  async list(
    input: { project_id: string; status?: TaskflowStatus | 'all'; limit?: number; offset?: number },
    principal: Principal,
  ): Promise<WorkflowTask[]> {
    await this.projects.get(principal, input.project_id);
    const status = input.status === undefined || input.status === 'all' ? null : input.status;
    return this.board.list(
      principal,
      input.project_id,
      status,
      pageLimit(input.limit, DEFAULT_TASKS, MAX_TASKS),
      input.offset ?? 0,
    );
  }

  /** Title or description, at least one of them. @throws AppError task_not_found, not_a_member, invalid_argument */
  async edit(
    input: { task_id: string; title?: string; description?: string },
    principal: Principal,
  ): Promise<TaskOutput> {
    if (input.title === undefined && input.description === undefined)
      throw refusal(
        [{ field: 'title', message: 'title or description is required' }],
        'Pass title, description or both.',
      );
    return this.tasks.update(input, principal);
  }
}
