/** What an attempt changed, to be read before it is delivered. */
import {
  ChangesInput,
  ChangesOutput,
  FileInput,
  FileOutput,
  PatchInput,
  PatchOutput,
} from '../../attempts/artifact.dto.js';
import { ArtifactsService } from '../../attempts/artifacts.service.js';
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
    avoid: 'Repeating the same call when blocked is true; follow hint.',
  },
})
export class GetAttemptChangesTool implements ToolHandler<ChangesInput, ChangesOutput> {
  constructor(private readonly artifacts: ArtifactsService) {}

  call(input: ChangesInput, { principal, names }: ToolContext): Promise<ChangesOutput> {
    return this.artifacts.changes(input, principal, names);
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
