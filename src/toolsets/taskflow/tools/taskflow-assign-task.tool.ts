import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ActingWorkerService } from '../../../projects/acting-worker.service.js';
import { TaskWorkflowService } from '../../../tasks/task-workflow.service.js';
import { TasksService } from '../../../tasks/tasks.service.js';
import { toChangedTask } from '../taskflow-task.js';
import { AssignTaskflowTask, ChangedTaskOutput } from '../taskflow.dto.js';

@Injectable()
@Tool({
  name: 'taskflow_assign_task',
  title: 'Assign a task',
  input: AssignTaskflowTask,
  output: ChangedTaskOutput,
  effect: 'update',
  scope: 'write',
  idempotent: true,
  guide: {
    useWhen: 'You want to assign a task to a person or an agent.',
    next: 'taskflow_list_tasks',
    avoid: 'Passing both assignee_id and assignee_handle; assigning a worker who is not a member.',
  },
})
export class TaskflowAssignTaskTool implements ToolHandler<AssignTaskflowTask, ChangedTaskOutput> {
  constructor(
    private readonly actors: ActingWorkerService,
    private readonly workflow: TaskWorkflowService,
    private readonly tasks: TasksService,
  ) {}

  async call({ user_id, ...input }: AssignTaskflowTask, context: CallContext): Promise<ChangedTaskOutput> {
    const acting = await this.actors.actIn(context, user_id);
    await this.workflow.assign(input, acting);
    return toChangedTask(await this.tasks.get(input.task_id, acting), 'assigned');
  }
}
