import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ActingWorkerService } from '../../../projects/acting-worker.service.js';
import { TaskWorkflowService } from '../../../tasks/task-workflow.service.js';
import { TasksService } from '../../../tasks/tasks.service.js';
import { toChangedTask } from '../taskflow-task.js';
import { UserTask, ChangedTaskOutput } from '../taskflow.dto.js';

@Injectable()
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
export class TaskflowCompleteTaskTool implements ToolHandler<UserTask, ChangedTaskOutput> {
  constructor(
    private readonly actors: ActingWorkerService,
    private readonly workflow: TaskWorkflowService,
    private readonly tasks: TasksService,
  ) {}

  async call({ user_id, task_id }: UserTask, context: CallContext): Promise<ChangedTaskOutput> {
    const acting = await this.actors.actIn(context, user_id);
    await this.workflow.move(task_id, 'completed', acting);
    return toChangedTask(await this.tasks.get(task_id, acting));
  }
}
