import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { Principal } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { ProjectMembersRepository } from '../projects/project-members.repository.js';
import { WorkersRepository } from '../workers/workers.repository.js';
import type { Task } from './task.entity.js';
import { enterTaskflowStatus, type TaskflowStatus, taskflowStatusOf, taskflowTransitions } from './taskflow-status.js';
import type { CreatedTaskOutput } from './task.dto.js';
import type { AssignInput, ProgressInput, SubtaskInput } from './task-workflow.dto.js';
import { patchOf } from './task-patch.js';
import { TaskWriter } from './task-writer.js';
import { TasksRepository } from './tasks.repository.js';
import { hintForProgress, hintTowards } from './workflow-hints.js';

/** The workflow of a task: claims, status transitions, subtasks. */
@Injectable()
export class TaskWorkflowService {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly database: Database,
    private readonly idempotency: IdempotencyService,
    private readonly memberRows: ProjectMembersRepository,
    private readonly workerRows: WorkersRepository,
    private readonly taskRows: TasksRepository,
    private readonly writer: TaskWriter,
  ) {}

  /** @throws AppError task_not_found, not_a_member */
  async addSubtask({ task_id, request_id, ...fields }: SubtaskInput, principal: Principal): Promise<CreatedTaskOutput> {
    return this.idempotency.once(
      { operation: 'create_subtask', principal, key: request_id, payload: { task_id, ...fields } },
      async (tx) => {
        const parent = await this.taskRows.lock(tx, principal, task_id);
        return {
          task_id: await this.writer.create(
            tx,
            { ...patchOf(fields), project_id: parent.project_id, parent_task_id: parent.id },
            principal,
          ),
        };
      },
    );
  }

  /** Moves a task by TaskFlow's table of transitions. Moving it into work claims it.
   *  @throws AppError task_not_found, not_a_member, invalid_transition, already_claimed, forbidden */
  async move(task_id: string, to: TaskflowStatus, principal: Principal): Promise<void> {
    await this.onLocked(task_id, principal, async (tx, task) => {
      const claim = to === 'in_progress' ? await this.claim(task, principal) : {};
      this.requireTransition(task, to);
      this.requireApprover(task, to, principal);
      await this.writer.change(tx, task, { ...enterTaskflowStatus(task, to), ...claim }, principal);
    });
  }

  /** @throws AppError task_not_found, not_a_member, invalid_transition, forbidden */
  async approve(task_id: string, principal: Principal): Promise<void> {
    await this.decide(task_id, 'completed', 'approved', principal);
  }

  /** @throws AppError task_not_found, not_a_member, invalid_transition */
  async reject(task_id: string, reason: string, principal: Principal): Promise<void> {
    await this.decide(task_id, 'in_progress', 'rejected', principal, reason);
  }

  /** @throws AppError task_not_found, not_a_member, task_not_in_progress */
  async progress({ task_id, percent, note }: ProgressInput, principal: Principal): Promise<void> {
    await this.onLocked(task_id, principal, async (tx, task) => {
      const status = taskflowStatusOf(task);
      if (status !== 'in_progress')
        throw new AppError(
          'task_not_in_progress',
          { task_id, project_id: task.project_id, status },
          hintForProgress(status),
        );
      await this.writer.change(tx, task, { progress_percent: percent }, principal, { note });
    });
  }

  /** @throws AppError task_not_found, not_a_member, worker_not_found, assignee_not_member */
  async assign({ task_id, assignee_id, assignee_handle }: AssignInput, principal: Principal): Promise<void> {
    await this.onLocked(task_id, principal, async (tx, task) => {
      if (assignee_id === null)
        return this.writer.change(tx, task, { assignee_worker_id: null, assignee_text: null }, principal);
      const worker = await this.workerRows.get({ worker_id: assignee_id, handle: assignee_handle });
      await this.requireAssignable(task, worker.id, worker.handle);
      await this.writer.change(tx, task, { assignee_worker_id: worker.id, assignee_text: null }, principal);
    });
  }

  private async decide(
    task_id: string,
    to: TaskflowStatus,
    action: string,
    principal: Principal,
    note?: string,
  ): Promise<void> {
    await this.onLocked(task_id, principal, async (tx, task) => {
      const from = taskflowStatusOf(task);
      if (from !== 'review') throw illegalMove(task, from, to);
      this.requireApprover(task, to, principal);
      await this.writer.change(tx, task, enterTaskflowStatus(task, to), principal, { action, note });
    });
  }

  private async onLocked(
    task_id: string,
    principal: Principal,
    work: (tx: Transaction, task: Task) => Promise<unknown>,
  ): Promise<void> {
    await this.database.transaction(async (tx) => work(tx, await this.taskRows.lock(tx, principal, task_id)));
  }

  /** The lock decides between concurrent claims: the second finds the first one's name. */
  private async claim(
    task: Task,
    { worker }: Principal,
  ): Promise<{ assignee_worker_id?: string; assignee_text?: null }> {
    if (worker === null || task.assignee_worker_id === worker) return {};
    if (task.assignee_worker_id === null) return { assignee_worker_id: worker, assignee_text: null };
    if (task.project_id && (await this.memberRows.findRole(task.project_id, worker)) === 'owner') return {};
    const { handle } = await this.workerRows.get({ worker_id: task.assignee_worker_id });
    throw new AppError('already_claimed', { task_id: task.id, project_id: task.project_id, assignee: handle });
  }

  private requireTransition(task: Task, to: TaskflowStatus): void {
    const from = taskflowStatusOf(task);
    if (!taskflowTransitions[from].includes(to)) throw illegalMove(task, from, to);
  }

  private requireApprover(task: Task, to: TaskflowStatus, { actor }: Principal): void {
    const isApproval = taskflowStatusOf(task) === 'review' && to === 'completed';
    if (isApproval && this.environment.REQUIRE_HUMAN_APPROVAL === 'on' && actor.type === 'agent')
      throw new AppError('forbidden', { reason: 'a person must approve this task' });
  }

  private async requireAssignable({ project_id }: Task, worker_id: string, worker: string): Promise<void> {
    if (
      project_id === null ||
      !(await this.memberRows.hasMembers(project_id)) ||
      (await this.memberRows.findRole(project_id, worker_id)) !== null
    )
      return;
    throw new AppError('assignee_not_member', { worker, project_id });
  }
}

const illegalMove = ({ id: task_id, project_id }: Task, from: TaskflowStatus, to: TaskflowStatus): AppError =>
  new AppError(
    'invalid_transition',
    { task_id, project_id, from, to, allowed: quoted(taskflowTransitions[from]) },
    hintTowards(from, to),
  );
const quoted = (statuses: readonly string[]): string[] => statuses.map((status) => `'${status}'`);
