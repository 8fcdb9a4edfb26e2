import { Injectable } from '@nestjs/common';
import { Tool, type ToolContext, type ToolHandler } from '../../../mcp/tool.js';
import { PatchInput, PatchOutput } from '../../../attempts/artifact.dto.js';
import { ArtifactsService } from '../../../attempts/artifacts.service.js';

@Injectable()
@Tool({
  name: 'get_attempt_patch',
  title: 'Get a diff',
  input: PatchInput,
  output: PatchOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want to review the diff of selected files.',
    next: 'follow_up',
    avoid: 'Requesting every file at once; pick paths from get_attempt_changes.',
  },
})
export class GetAttemptPatchTool implements ToolHandler<PatchInput, PatchOutput> {
  constructor(private readonly artifacts: ArtifactsService) {}

  call(input: PatchInput, { principal, names }: ToolContext): Promise<PatchOutput> {
    return this.artifacts.patch(input, principal, names);
  }
}
