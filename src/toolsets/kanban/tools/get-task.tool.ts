import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { TaskTarget, OneTaskOutput } from '../../../tasks/task.dto.js';
import { TasksService } from '../../../tasks/tasks.service.js';

@Injectable()
@Tool({
  name: 'get_task',
  title: 'Get a task',
  input: TaskTarget,
  output: OneTaskOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want the full description and status of one task.',
    next: 'start_task_attempt',
    avoid: 'Polling it for progress; use get_attempt_status with wait_ms.',
  },
})
export class GetTaskTool implements ToolHandler<TaskTarget, OneTaskOutput> {
  constructor(private readonly tasks: TasksService) {}

  call({ task_id }: TaskTarget, { principal }: CallContext): Promise<OneTaskOutput> {
    return this.tasks.get(task_id, principal).then((task) => ({ task }));
  }
}
