import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ActingWorkerService } from '../../../projects/acting-worker.service.js';
import { TasksService } from '../../../tasks/tasks.service.js';
import { DeleteTaskService } from '../../../orchestration/delete-task.service.js';
import { toChangedTask } from '../taskflow-task.js';
import { UserTask, ChangedTaskOutput } from '../taskflow.dto.js';

@Injectable()
@Tool({
  name: 'taskflow_delete_task',
  title: 'Delete a task',
  input: UserTask,
  output: ChangedTaskOutput,
  effect: 'delete',
  scope: 'write',
  idempotent: true,
  guide: {
    useWhen: 'You no longer need a task.',
    next: 'taskflow_list_tasks',
    avoid: 'Deleting a task that has subtasks; delete the subtasks first.',
  },
})
export class TaskflowDeleteTaskTool implements ToolHandler<UserTask, ChangedTaskOutput> {
  constructor(
    private readonly actors: ActingWorkerService,
    private readonly tasks: TasksService,
    private readonly deletion: DeleteTaskService,
  ) {}

  async call({ user_id, task_id }: UserTask, context: CallContext): Promise<ChangedTaskOutput> {
    const acting = await this.actors.actIn(context, user_id);
    const task = await this.tasks.get(task_id, acting);
    await this.deletion.deleteTask(task_id, acting);
    return toChangedTask(task, 'deleted');
  }
}
