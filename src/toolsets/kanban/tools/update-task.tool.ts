import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { UpdateTaskInput, OneTaskOutput } from '../../../tasks/task.dto.js';
import { TasksService } from '../../../tasks/tasks.service.js';

@Injectable()
@Tool({
  name: 'update_task',
  title: 'Update a task',
  input: UpdateTaskInput,
  output: OneTaskOutput,
  effect: 'update',
  scope: 'write',
  forRuns: 'own',
  guide: {
    useWhen: 'You want to change the title, description or status of a task.',
    next: 'get_task',
    avoid: 'Changing the status to start or stop work; use start_task_attempt and stop_attempt.',
  },
})
export class UpdateTaskTool implements ToolHandler<UpdateTaskInput, OneTaskOutput> {
  constructor(private readonly tasks: TasksService) {}

  async call(input: UpdateTaskInput, { principal }: CallContext): Promise<OneTaskOutput> {
    return { task: await this.tasks.update(input, principal) };
  }
}
