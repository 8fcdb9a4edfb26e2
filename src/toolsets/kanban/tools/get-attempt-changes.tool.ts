import { Injectable } from '@nestjs/common';
import { Tool, type ToolContext, type ToolHandler } from '../../../mcp/tool.js';
import { ChangesInput, ChangesOutput } from '../../../attempts/artifact.dto.js';
import { ArtifactsService } from '../../../attempts/artifacts.service.js';

@Injectable()
@Tool({
  name: 'get_attempt_changes',
  title: 'Summarize changes',
  input: ChangesInput,
  output: ChangesOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want to know which files an attempt changed.',
    next: 'get_attempt_patch',
    avoid: 'Repeating the same call when blocked is true; follow hint.',
  },
})
export class GetAttemptChangesTool implements ToolHandler<ChangesInput, ChangesOutput> {
  constructor(private readonly artifacts: ArtifactsService) {}

  call(input: ChangesInput, { principal, names }: ToolContext): Promise<ChangesOutput> {
    return this.artifacts.changes(input, principal, names);
  }
}
