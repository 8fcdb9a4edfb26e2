import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ActingWorkerService } from '../../../projects/acting-worker.service.js';
import { TaskflowBoardService } from '../taskflow-board.service.js';
import { toChangedTask } from '../taskflow-task.js';
import { UpdateTaskflowTask, ChangedTaskOutput } from '../taskflow.dto.js';

@Injectable()
@Tool({
  name: 'taskflow_update_task',
  title: 'Update a task',
  input: UpdateTaskflowTask,
  output: ChangedTaskOutput,
  effect: 'update',
  scope: 'write',
  idempotent: true,
  guide: {
    useWhen: 'You want to change the title or description of a task.',
    next: 'taskflow_list_tasks',
    avoid: 'Calling it with neither title nor description; the status has its own tools.',
  },
})
export class TaskflowUpdateTaskTool implements ToolHandler<UpdateTaskflowTask, ChangedTaskOutput> {
  constructor(
    private readonly actors: ActingWorkerService,
    private readonly board: TaskflowBoardService,
  ) {}

  async call({ user_id, ...input }: UpdateTaskflowTask, context: CallContext): Promise<ChangedTaskOutput> {
    const acting = await this.actors.actIn(context, user_id);
    return toChangedTask(await this.board.edit(input, acting), 'updated');
  }
}
