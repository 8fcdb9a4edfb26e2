import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { toColibriTask } from '../colibri-task.js';
import { ColibriUpdate, ColibriTaskAnswer } from '../colibri.dto.js';
import { TaskUpdateService } from '../task-update.service.js';

@Injectable()
@Tool({
  name: 'task_update',
  title: 'Update a task',
  input: ColibriUpdate,
  output: ColibriTaskAnswer,
  effect: 'update',
  scope: 'write',
  guide: {
    useWhen: 'You want to change the fields or the stage of a task.',
    next: 'task_next_actions',
    avoid: 'Setting status DONE before calling thought_record; putting fields outside patch.',
  },
})
export class TaskUpdateTool implements ToolHandler<ColibriUpdate, object> {
  constructor(private readonly updates: TaskUpdateService) {}

  /** DONE needs a record where Colibri writes it. A task that another dialect completed is DONE without one, and
   *  stays so:
   *  only a Colibri call that sets DONE again is asked for the record. */
  async call({ id, patch }: ColibriUpdate, { principal }: CallContext): Promise<object> {
    return toColibriTask(await this.updates.update(id, patch, principal));
  }
}
