import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { StageBoardService } from '../stage-board.service.js';
import { toColibriTask } from '../colibri-task.js';
import { ColibriTarget, ColibriTaskAnswer } from '../colibri.dto.js';

@Injectable()
@Tool({
  name: 'task_get',
  title: 'Get a task',
  input: ColibriTarget,
  output: ColibriTaskAnswer,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want all fields of one task.',
    next: 'task_update',
    avoid: 'Expecting data.ok on success; it appears, as false, only when the operation was refused.',
  },
})
export class TaskGetTool implements ToolHandler<ColibriTarget, object> {
  constructor(private readonly board: StageBoardService) {}

  async call({ id }: ColibriTarget, { principal }: CallContext): Promise<object> {
    return toColibriTask(await this.board.get(id, principal));
  }
}
