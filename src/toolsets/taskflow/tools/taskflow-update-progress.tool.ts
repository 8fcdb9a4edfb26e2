import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ActingWorkerService } from '../../../projects/acting-worker.service.js';
import { TaskWorkflowService } from '../../../tasks/task-workflow.service.js';
import { TasksService } from '../../../tasks/tasks.service.js';
import { toChangedTask } from '../taskflow-task.js';
import { TaskflowProgress, ChangedTaskOutput } from '../taskflow.dto.js';

@Injectable()
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
