import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ChangesInput, ChangesOutput } from '../../../attempts/artifact.dto.js';
import { ArtifactsService } from '../../../attempts/artifacts.service.js';
import { kanbanNames } from '../kanban-names.js';

@Injectable()
@Tool({
  name: 'get_attempt_changes',
  title: 'Summarize changes',
  input: ChangesInput,
  output: ChangesOutput,
  effect: 'read',
  guide: {
    useWhen: 'You want to know which files an attempt changed.',
    next: 'get_attempt_patch',
    avoid: 'Repeating the same call when blocked is true; follow hint.',
  },
})
export class GetAttemptChangesTool implements ToolHandler<ChangesInput, ChangesOutput> {
  constructor(private readonly artifacts: ArtifactsService) {}

  call(input: ChangesInput, { principal }: CallContext): Promise<ChangesOutput> {
    return this.artifacts.changes(input, principal, kanbanNames);
  }
}
