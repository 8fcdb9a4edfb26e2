import { Injectable } from '@nestjs/common';
import { Tool, type ToolContext, type ToolHandler } from '../../../mcp/tool.js';
import { FileInput, FileOutput } from '../../../attempts/artifact.dto.js';
import { ArtifactsService } from '../../../attempts/artifacts.service.js';

@Injectable()
@Tool({
  name: 'get_attempt_file',
  title: 'Read a file',
  input: FileInput,
  output: FileOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want to read one file of an attempt.',
    next: 'follow_up',
    avoid: 'Paths without the repository name as prefix; take them from get_attempt_changes.',
  },
})
export class GetAttemptFileTool implements ToolHandler<FileInput, FileOutput> {
  constructor(private readonly artifacts: ArtifactsService) {}

  call(input: FileInput, { principal, names }: ToolContext): Promise<FileOutput> {
    return this.artifacts.file(input, principal, names);
  }
}
