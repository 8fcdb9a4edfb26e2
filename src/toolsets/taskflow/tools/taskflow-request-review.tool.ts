import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ActingWorkerService } from '../../../projects/acting-worker.service.js';
import { TaskWorkflowService } from '../../../tasks/task-workflow.service.js';
import { TasksService } from '../../../tasks/tasks.service.js';
import { toChangedTask } from '../taskflow-task.js';
import { UserTask, ChangedTaskOutput } from '../taskflow.dto.js';

@Injectable()
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
export class TaskflowRequestReviewTool implements ToolHandler<UserTask, ChangedTaskOutput> {
  constructor(
    private readonly actors: ActingWorkerService,
    private readonly workflow: TaskWorkflowService,
    private readonly tasks: TasksService,
  ) {}

  async call({ user_id, task_id }: UserTask, context: CallContext): Promise<ChangedTaskOutput> {
    const acting = await this.actors.actIn(context, user_id);
    await this.workflow.move(task_id, 'review', acting);
    return toChangedTask(await this.tasks.get(task_id, acting));
  }
}
