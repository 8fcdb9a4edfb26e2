import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ActingWorkerService } from '../../../projects/acting-worker.service.js';
import { TaskflowBoardService } from '../taskflow-board.service.js';
import { toTaskflowRow } from '../taskflow-task.js';
import { ListTaskflowTasks, TaskflowRows } from '../taskflow.dto.js';

@Injectable()
@Tool({
  name: 'taskflow_list_tasks',
  title: 'List tasks',
  input: ListTaskflowTasks,
  output: TaskflowRows,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want the tasks of a project with their status and assignee.',
    next: 'taskflow_start_task',
    avoid: 'Guessing project_id; get it from taskflow_list_projects.',
  },
})
export class TaskflowListTasksTool implements ToolHandler<ListTaskflowTasks, TaskflowRows> {
  constructor(
    private readonly actors: ActingWorkerService,
    private readonly board: TaskflowBoardService,
  ) {}

  async call({ user_id, ...input }: ListTaskflowTasks, context: CallContext): Promise<TaskflowRows> {
    return { result: (await this.board.list(input, await this.actors.readIn(context, user_id))).map(toTaskflowRow) };
  }
}
