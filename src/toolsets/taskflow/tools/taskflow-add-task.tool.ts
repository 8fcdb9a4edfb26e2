import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ActingWorkerService } from '../../../projects/acting-worker.service.js';
import { TasksService } from '../../../tasks/tasks.service.js';
import { toChangedTask } from '../taskflow-task.js';
import { AddTaskflowTask, ChangedTaskOutput } from '../taskflow.dto.js';

@Injectable()
@Tool({
  name: 'taskflow_add_task',
  title: 'Add a task',
  input: AddTaskflowTask,
  output: ChangedTaskOutput,
  effect: 'create',
  scope: 'write',
  guide: {
    useWhen: 'You want to add a task to a project.',
    next: 'taskflow_start_task',
    avoid: 'Retrying without the same request_id.',
  },
})
export class TaskflowAddTaskTool implements ToolHandler<AddTaskflowTask, ChangedTaskOutput> {
  constructor(
    private readonly actors: ActingWorkerService,
    private readonly tasks: TasksService,
  ) {}

  async call({ user_id, ...input }: AddTaskflowTask, context: CallContext): Promise<ChangedTaskOutput> {
    const acting = await this.actors.actIn(context, user_id);
    const { task_id } = await this.tasks.create(input, acting);
    return toChangedTask(await this.tasks.get(task_id, acting), 'created');
  }
}
