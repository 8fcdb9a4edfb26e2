import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { StageBoardService } from '../stage-board.service.js';
import { toColibriTasks } from '../colibri-task.js';
import { ColibriNext, ColibriTasksAnswer } from '../colibri.dto.js';

@Injectable()
@Tool({
  name: 'task_next_actions',
  title: 'List open tasks',
  input: ColibriNext,
  output: ColibriTasksAnswer,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want the tasks that are still open.',
    next: 'task_get',
    avoid: 'Passing arguments; it takes none.',
  },
})
export class TaskNextActionsTool implements ToolHandler<ColibriNext, object> {
  constructor(private readonly board: StageBoardService) {}

  async call(_: ColibriNext, { principal }: CallContext): Promise<object> {
    return toColibriTasks(await this.board.nextActions(principal));
  }
}
