import { Injectable } from '@nestjs/common';
import { Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ListExecutorsInput, ListExecutorsOutput } from '../../../executors/executor.dto.js';
import { ExecutorsService } from '../../../executors/executors.service.js';

@Injectable()
@Tool({
  name: 'list_executors',
  title: 'List executors',
  input: ListExecutorsInput,
  output: ListExecutorsOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You need to choose an executor or variant for an attempt.',
    next: 'start_task_attempt',
    avoid: 'Choosing an executor with is_available false.',
  },
})
export class ListExecutorsTool implements ToolHandler<ListExecutorsInput, ListExecutorsOutput> {
  constructor(private readonly executors: ExecutorsService) {}

  call(): Promise<ListExecutorsOutput> {
    return this.executors.list();
  }
}
