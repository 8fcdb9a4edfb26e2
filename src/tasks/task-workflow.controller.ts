import { Controller } from '@nestjs/common';
import { AuditOutput } from '../audit/audit.dto.js';
import { AuditService } from '../audit/audit.service.js';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { AddedTaskOutput, TaskOutput, TaskTarget } from './task.dto.js';
import {
  AssignInput,
  MoveInput,
  ProgressInput,
  RejectInput,
  SubtaskInput,
  TaskAuditInput,
} from './task-workflow.dto.js';
import { TaskWorkflowService } from './task-workflow.service.js';
import { TasksService } from './tasks.service.js';

/** The workflow of a task in TaskFlow's words and rules. */
@Controller('api')
export class TaskWorkflowController {
  constructor(
    private readonly workflow: TaskWorkflowService,
    private readonly tasks: TasksService,
    private readonly auditLog: AuditService,
  ) {}

  @Endpoint('PATCH tasks/:task_id/status', {
    tag: 'workflow',
    summary: 'Change the status of a task; starting it claims it.',
    scope: 'write',
    output: TaskOutput,
    errors: ['task_not_found', 'not_a_member', 'invalid_transition', 'already_claimed', 'forbidden'],
  })
  async moveTask(@Input() input: MoveInput, @Caller() caller: Principal): Promise<TaskOutput> {
    await this.workflow.move(input.task_id, input.status, caller);
    return this.tasks.get(input.task_id, caller);
  }

  @Endpoint('PATCH tasks/:task_id/assign', {
    tag: 'workflow',
    summary: 'Assign a task to a person or an agent, or to nobody.',
    scope: 'write',
    example: { assignee_handle: '@ada' },
    output: TaskOutput,
    errors: [
      'task_not_found',
      'not_a_member',
      'worker_not_found',
      'assignee_not_member',
      'missing_target',
      'ambiguous_target',
    ],
  })
  async assignTask(@Input() input: AssignInput, @Caller() caller: Principal): Promise<TaskOutput> {
    await this.workflow.assign(input, caller);
    return this.tasks.get(input.task_id, caller);
  }

  @Endpoint('PATCH tasks/:task_id/progress', {
    tag: 'workflow',
    summary: 'Report progress on a task in progress.',
    scope: 'write',
    output: TaskOutput,
    errors: ['task_not_found', 'not_a_member', 'task_not_in_progress'],
  })
  async reportProgress(@Input() input: ProgressInput, @Caller() caller: Principal): Promise<TaskOutput> {
    await this.workflow.progress(input, caller);
    return this.tasks.get(input.task_id, caller);
  }

  @Endpoint('POST tasks/:task_id/subtasks', {
    tag: 'workflow',
    summary: 'Add a subtask.',
    scope: 'write',
    status: 201,
    location: '/api/tasks/{task_id}',
    output: AddedTaskOutput,
    errors: ['task_not_found', 'not_a_member', 'idempotency_conflict', 'idempotency_in_progress', 'too_much_stored'],
  })
  async addSubtask(@Input() input: SubtaskInput, @Caller() caller: Principal): Promise<AddedTaskOutput> {
    return this.tasks.added(await this.workflow.addSubtask(input, caller), caller);
  }

  @Endpoint('POST tasks/:task_id/approve', {
    tag: 'workflow',
    summary: 'Approve a task in review.',
    scope: 'write',
    output: TaskOutput,
    errors: ['task_not_found', 'not_a_member', 'invalid_transition', 'forbidden'],
  })
  async approveTask(@Input() input: TaskTarget, @Caller() caller: Principal): Promise<TaskOutput> {
    await this.workflow.approve(input.task_id, caller);
    return this.tasks.get(input.task_id, caller);
  }

  @Endpoint('POST tasks/:task_id/reject', {
    tag: 'workflow',
    summary: 'Reject a task in review.',
    scope: 'write',
    output: TaskOutput,
    errors: ['task_not_found', 'not_a_member', 'invalid_transition'],
  })
  async rejectTask(@Input() input: RejectInput, @Caller() caller: Principal): Promise<TaskOutput> {
    await this.workflow.reject(input.task_id, input.reason, caller);
    return this.tasks.get(input.task_id, caller);
  }

  @Endpoint('GET tasks/:task_id/audit', {
    tag: 'workflow',
    summary: 'List the audit log of a task, newest first; deleted tasks included.',
    scope: 'read',
    output: AuditOutput,
    errors: ['task_not_found', 'not_a_member'],
  })
  async getTaskAudit(@Input() input: TaskAuditInput, @Caller() caller: Principal): Promise<AuditOutput> {
    await this.tasks.requireVisible(input.task_id, caller);
    return this.auditLog.ofTask(input.task_id, input);
  }
}
