import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { StageBoardService } from '../stage-board.service.js';
import { toColibriTask } from '../colibri-task.js';
import { ColibriCreate, ColibriTaskAnswer } from '../colibri.dto.js';

@Injectable()
@Tool({
  name: 'task_create',
  title: 'Create a task',
  input: ColibriCreate,
  output: ColibriTaskAnswer,
  effect: 'create',
  scope: 'write',
  guide: {
    useWhen: 'You want to add a task; its status defaults to INIT.',
    next: 'task_next_actions',
    avoid: 'Creating a task as DONE to close existing work; use task_update after thought_record.',
  },
})
export class TaskCreateTool implements ToolHandler<ColibriCreate, object> {
  constructor(private readonly board: StageBoardService) {}

  async call(input: ColibriCreate, { principal }: CallContext): Promise<object> {
    return toColibriTask(await this.board.create(input, principal));
  }
}
