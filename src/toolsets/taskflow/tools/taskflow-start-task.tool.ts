import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ActingWorkerService } from '../../../projects/acting-worker.service.js';
import { TaskWorkflowService } from '../../../tasks/task-workflow.service.js';
import { TasksService } from '../../../tasks/tasks.service.js';
import { toChangedTask } from '../taskflow-task.js';
import { UserTask, ChangedTaskOutput } from '../taskflow.dto.js';

@Injectable()
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
export class TaskflowStartTaskTool implements ToolHandler<UserTask, ChangedTaskOutput> {
  constructor(
    private readonly actors: ActingWorkerService,
    private readonly workflow: TaskWorkflowService,
    private readonly tasks: TasksService,
  ) {}

  async call({ user_id, task_id }: UserTask, context: CallContext): Promise<ChangedTaskOutput> {
    const acting = await this.actors.actIn(context, user_id);
    await this.workflow.move(task_id, 'in_progress', acting);
    return toChangedTask(await this.tasks.get(task_id, acting));
  }
}
