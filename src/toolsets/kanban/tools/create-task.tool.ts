import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { CreateTaskInput, CreatedTaskOutput } from '../../../tasks/task.dto.js';
import { TasksService } from '../../../tasks/tasks.service.js';

@Injectable()
@Tool({
  name: 'create_task',
  title: 'Create a task',
  input: CreateTaskInput,
  output: CreatedTaskOutput,
  effect: 'create',
  scope: 'write',
  forRuns: 'own',
  guide: {
    useWhen: 'You want to add a task to a project.',
    next: 'start_task_attempt',
    avoid: 'Retrying without the same request_id; expecting work to start (call start_task_attempt).',
  },
})
export class CreateTaskTool implements ToolHandler<CreateTaskInput, CreatedTaskOutput> {
  constructor(private readonly tasks: TasksService) {}

  call(input: CreateTaskInput, { principal }: CallContext): Promise<CreatedTaskOutput> {
    return this.tasks.create(input, principal);
  }
}
