import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ThoughtsService } from '../../../thoughts/thoughts.service.js';
import { toColibriThoughts } from '../colibri-task.js';
import { ColibriThoughtList, ColibriThoughtsAnswer } from '../colibri.dto.js';

@Injectable()
@Tool({
  name: 'thought_record_list',
  title: 'List thought records',
  input: ColibriThoughtList,
  output: ColibriThoughtsAnswer,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want to read the thought records of a task.',
    next: 'audit_verify_chain',
    avoid: 'Taking one page for the whole list; total_count has the full count.',
  },
})
export class ThoughtRecordListTool implements ToolHandler<ColibriThoughtList, object> {
  constructor(private readonly thoughts: ThoughtsService) {}

  async call({ task_id, ...page }: ColibriThoughtList, { principal }: CallContext): Promise<object> {
    return toColibriThoughts(await this.thoughts.list(task_id, page, principal));
  }
}
