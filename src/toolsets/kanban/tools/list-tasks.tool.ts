import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ListTasksInput, ListTasksOutput } from '../../../tasks/task.dto.js';
import { TasksService } from '../../../tasks/tasks.service.js';

@Injectable()
@Tool({
  name: 'list_tasks',
  title: 'List tasks',
  input: ListTasksInput,
  output: ListTasksOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want the tasks of a project and the state of their latest attempts.',
    next: 'get_task',
    avoid: 'Listing tasks to find one whose task_id you already have; use get_task.',
  },
})
export class ListTasksTool implements ToolHandler<ListTasksInput, ListTasksOutput> {
  constructor(private readonly tasks: TasksService) {}

  call(input: ListTasksInput, { principal }: CallContext): Promise<ListTasksOutput> {
    return this.tasks.list(input, principal);
  }
}
