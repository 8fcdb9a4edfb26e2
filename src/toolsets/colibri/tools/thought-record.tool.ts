import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ThoughtsService } from '../../../thoughts/thoughts.service.js';
import { toThoughtOutput } from '../../../thoughts/thought.dto.js';
import { ColibriThought, ColibriThoughtAnswer } from '../colibri.dto.js';

@Injectable()
@Tool({
  name: 'thought_record',
  title: 'Write a thought record',
  input: ColibriThought,
  output: ColibriThoughtAnswer,
  effect: 'create',
  scope: 'write',
  guide: {
    useWhen: 'You planned, decided or finished something; a task needs a record before it can be DONE.',
    next: 'task_update',
    avoid: 'Expecting to edit a record later; records are append-only.',
  },
})
export class ThoughtRecordTool implements ToolHandler<ColibriThought, object> {
  constructor(private readonly thoughts: ThoughtsService) {}

  async call(input: ColibriThought, { principal }: CallContext): Promise<object> {
    return toThoughtOutput(await this.thoughts.record(input, principal));
  }
}
