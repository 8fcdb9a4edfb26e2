import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { TaskTarget, DeletedTaskOutput } from '../../../tasks/task.dto.js';
import { DeleteTaskService } from '../../../orchestration/delete-task.service.js';

@Injectable()
@Tool({
  name: 'delete_task',
  title: 'Delete a task',
  input: TaskTarget,
  output: DeletedTaskOutput,
  effect: 'delete',
  scope: 'write',
  guide: {
    useWhen: 'You no longer need a task and its worktrees.',
    next: 'list_tasks',
    avoid: 'Deleting work that is not merged yet; set status done instead.',
  },
})
export class DeleteTaskTool implements ToolHandler<TaskTarget, DeletedTaskOutput> {
  constructor(private readonly deletion: DeleteTaskService) {}

  call(input: TaskTarget, { principal }: CallContext): Promise<DeletedTaskOutput> {
    return this.deletion.deleteTask(input.task_id, principal);
  }
}
