import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { StageBoardService } from '../stage-board.service.js';
import { toColibriTask } from '../colibri-task.js';
import { ColibriTarget, ColibriTaskAnswer } from '../colibri.dto.js';

@Injectable()
@Tool({
  name: 'task_get',
  title: 'Show a task',
  input: ColibriTarget,
  output: ColibriTaskAnswer,
  effect: 'read',
  guide: {
    useWhen: 'You want one task in full.',
    next: 'task_update',
    avoid: 'Reading data.ok: it is only there, and false, in a refusal.',
  },
})
export class TaskGetTool implements ToolHandler<ColibriTarget, object> {
  constructor(private readonly board: StageBoardService) {}

  async call({ id }: ColibriTarget, { principal }: CallContext): Promise<object> {
    return toColibriTask(await this.board.get(id, principal));
  }
}
