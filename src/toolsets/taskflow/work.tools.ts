/** The loop of a TaskFlow worker: claim, report, ask for review, complete. */
import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../mcp/tool.js';
import { ActingWorkerService } from '../../projects/acting-worker.service.js';
import { TaskWorkflowService } from '../../tasks/task-workflow.service.js';
import type { TaskflowStatus } from '../../tasks/taskflow-status.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { toChangedTask } from './taskflow-answers.js';
import { UserTask, ChangedTaskOutput, TaskflowProgress } from './taskflow.dto.js';

/** Changes the status as the acting user; the answer has the new status. */
@Injectable()
abstract class Move implements ToolHandler<UserTask, ChangedTaskOutput> {
  protected abstract readonly to: TaskflowStatus;

  constructor(
    private readonly actors: ActingWorkerService,
    private readonly workflow: TaskWorkflowService,
    private readonly tasks: TasksService,
  ) {}

  async call({ user_id, task_id }: UserTask, context: CallContext): Promise<ChangedTaskOutput> {
    const acting = await this.actors.actIn(context, user_id);
    await this.workflow.move(task_id, this.to, acting);
    return toChangedTask(await this.tasks.get(task_id, acting));
  }
}

@Tool({
  name: 'taskflow_start_task',
  title: 'Claim and start a task',
  input: UserTask,
  output: ChangedTaskOutput,
  effect: 'update',
  scope: 'write',
  idempotent: false,
  guide: {
    useWhen: 'You want to start work on a pending, blocked or rejected task; an unassigned task is assigned to you.',
    next: 'taskflow_update_progress',
    avoid: 'Starting a task assigned to someone else; pick another one, or reassign it first.',
  },
})
export class TaskflowStartTaskTool extends Move {
  protected readonly to = 'in_progress';
}

@Tool({
  name: 'taskflow_update_progress',
  title: 'Report progress',
  input: TaskflowProgress,
  output: ChangedTaskOutput,
  effect: 'update',
  scope: 'write',
  idempotent: true,
  guide: {
    useWhen: 'You made progress on a task that is in progress.',
    next: 'taskflow_request_review',
    avoid: 'Reporting progress before taskflow_start_task; expecting 100 percent to complete the task.',
  },
})
export class TaskflowUpdateProgressTool implements ToolHandler<TaskflowProgress, ChangedTaskOutput> {
  constructor(
    private readonly actors: ActingWorkerService,
    private readonly workflow: TaskWorkflowService,
    private readonly tasks: TasksService,
  ) {}

  async call({ user_id, ...input }: TaskflowProgress, context: CallContext): Promise<ChangedTaskOutput> {
    const acting = await this.actors.actIn(context, user_id);
    await this.workflow.progress(input, acting);
    return toChangedTask(await this.tasks.get(input.task_id, acting));
  }
}

@Tool({
  name: 'taskflow_request_review',
  title: 'Request a review',
  input: UserTask,
  output: ChangedTaskOutput,
  effect: 'update',
  scope: 'write',
  idempotent: false,
  guide: {
    useWhen: 'Your work on a task is ready for review.',
    next: 'taskflow_complete_task',
    avoid: 'Requesting a review for a task that was never started.',
  },
})
export class TaskflowRequestReviewTool extends Move {
  protected readonly to = 'review';
}

@Tool({
  name: 'taskflow_complete_task',
  title: 'Complete a task',
  input: UserTask,
  output: ChangedTaskOutput,
  effect: 'update',
  scope: 'write',
  idempotent: false,
  guide: {
    useWhen: 'The work on a task is finished.',
    next: 'taskflow_list_tasks',
    avoid: 'Completing a blocked task; start it again first.',
  },
})
export class TaskflowCompleteTaskTool extends Move {
  protected readonly to = 'completed';
}
