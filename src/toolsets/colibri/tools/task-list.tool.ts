import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { refusal } from '../../../platform/fields/input-errors.js';
import { StageBoardService } from '../stage-board.service.js';
import { toColibriTasks } from '../colibri-task.js';
import { ColibriList, ColibriTasksAnswer, MAX_LISTED } from '../colibri.dto.js';

@Injectable()
@Tool({
  name: 'task_list',
  title: 'List tasks',
  input: ColibriList,
  output: ColibriTasksAnswer,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want tasks by stage or project, in creation order.',
    next: 'task_get',
    avoid: 'Taking one page for the whole list; total_count has the full count.',
  },
})
export class TaskListTool implements ToolHandler<ColibriList, object> {
  constructor(private readonly board: StageBoardService) {}

  async call(input: ColibriList, { principal }: CallContext): Promise<object> {
    if (input.limit !== undefined && input.limit > MAX_LISTED)
      throw refusal([{ field: 'limit', message: `limit must be <= ${MAX_LISTED}` }]);
    return toColibriTasks(await this.board.list(input, principal));
  }
}
