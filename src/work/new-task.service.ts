import { Injectable } from '@nestjs/common';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { requireMade, withRight } from '../platform/access/rights.js';
import { rightOf } from '../platform/access/scopes.js';
import { refusal } from '../platform/fields/input-errors.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { CreatedTaskOutput } from '../tasks/task.dto.js';
import { TaskTree } from '../tasks/task-tree.js';
import { TaskWriter } from '../tasks/task-writer.js';
import { TasksRepository } from '../tasks/tasks.repository.js';
import { TasksService } from '../tasks/tasks.service.js';
import { AttemptPlan } from './attempt-plan.js';
import { ExecutorChoice } from '../turns/executor-choice.js';
import { StartService } from './start.service.js';
import type { CreateTaskInput } from './work.dto.js';

/** A new task, and where an executor is named its first attempt: both or neither. */
@Injectable()
export class NewTaskService {
  constructor(
    private readonly tasks: TasksService,
    private readonly idempotency: IdempotencyService,
    private readonly executors: ExecutorChoice,
    private readonly plan: AttemptPlan,
    private readonly starts: StartService,
    private readonly tree: TaskTree,
    private readonly writer: TaskWriter,
    private readonly taskRows: TasksRepository,
    private readonly projectRows: ProjectsRepository,
  ) {}

  /** @throws AppError project_not_found, invalid_argument, too_much_stored, idempotency_conflict, and with an executor
   *  those of a start */
  async create(
    { executor, variant, target_branch, ...task }: CreateTaskInput,
    principal: Principal,
  ): Promise<CreatedTaskOutput> {
    if (executor !== undefined) return this.createAndStart({ ...task, executor, variant, target_branch }, principal);
    const given = Object.entries({ variant, target_branch }).filter(([, value]) => value !== undefined);
    if (given.length > 0)
      throw refusal(given.map(([field]) => ({ field, message: `${field} only goes with executor` })));
    return this.tasks.create(task, principal);
  }

  private async createAndStart(
    { request_id, ...input }: CreateTaskInput & { executor: string },
    principal: Principal,
  ): Promise<CreatedTaskOutput> {
    const request = { operation: 'create_task', principal, key: request_id, payload: input };
    const earlier = await this.idempotency.findResult<CreatedTaskOutput>(request);
    if (earlier) return earlier;
    const { executor, variant, target_branch, ...task } = input;
    const starter = requireStarter(principal);
    await this.projectRows.get(starter, task.project_id);
    const chosen = await this.executors.choose({ executor, variant }, starter);
    const plan = await this.plan.forNewTask(task.project_id, target_branch, starter);
    return this.idempotency.once({ ...request, project_id: task.project_id }, async (tx) => {
      const { parent_task_id, project_id } = task;
      if (parent_task_id !== undefined) await this.tree.requireParent(tx, parent_task_id, project_id, starter);
      const task_id = await this.writer.create(tx, task, starter);
      const row = await this.taskRows.lock(tx, starter, task_id);
      const { attempt_id } = await this.starts.open(tx, row, plan, chosen, starter);
      return { task_id, attempt_id };
    });
  }
}

/** A start takes more than a task. @throws AppError forbidden, insufficient_scope */
function requireStarter(principal: Principal): Principal {
  requireMade(principal, { made_by_attempt_id: principal.attempt });
  return withRight(principal, rightOf({ scope: 'execute' }));
}
