/** What an attempt changed, to be read before it is delivered. */
import {
  ChangesInput,
  ChangesOutput,
  FileInput,
  FileOutput,
  PatchInput,
  PatchOutput,
} from '../../review/artifact.dto.js';
import { ArtifactsService } from '../../review/artifacts.service.js';
import { Tool, type ToolContext, type ToolHandler } from '../../mcp/tool.js';

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
    avoid: 'Repeating a blocked call; follow hint.',
  },
})
export class GetAttemptChangesTool implements ToolHandler<ChangesInput, ChangesOutput> {
  constructor(private readonly artifacts: ArtifactsService) {}

  call(input: ChangesInput, { principal, wording }: ToolContext): Promise<ChangesOutput> {
    return this.artifacts.changes(input, principal, wording);
  }
}

@Tool({
  name: 'get_attempt_file',
  title: 'Read a file',
  input: FileInput,
  output: FileOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want to read one file.',
    next: 'follow_up',
    avoid: 'Paths without the repository name.',
  },
})
export class GetAttemptFileTool implements ToolHandler<FileInput, FileOutput> {
  constructor(private readonly artifacts: ArtifactsService) {}

  call(input: FileInput, { principal, wording }: ToolContext): Promise<FileOutput> {
    return this.artifacts.file(input, principal, wording);
  }
}

@Tool({
  name: 'get_attempt_patch',
  title: 'Get a diff',
  input: PatchInput,
  output: PatchOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want the diff of some files.',
    next: 'follow_up',
    avoid: 'All files at once; pick from get_attempt_changes.',
  },
})
export class GetAttemptPatchTool implements ToolHandler<PatchInput, PatchOutput> {
  constructor(private readonly artifacts: ArtifactsService) {}

  call(input: PatchInput, { principal, wording }: ToolContext): Promise<PatchOutput> {
    return this.artifacts.patch(input, principal, wording);
  }
}
