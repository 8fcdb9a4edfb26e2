import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { MergeAttemptInput, MergeAttemptOutput, undoInputOf } from '../../../orchestration/merge-attempt.dto.js';
import { MergeAttemptService } from '../../../orchestration/merge-attempt.service.js';
import { UndoMergeService } from '../../../orchestration/undo-merge.service.js';

@Injectable()
@Tool({
  name: 'merge_attempt',
  title: 'Merge an attempt',
  input: MergeAttemptInput,
  output: MergeAttemptOutput,
  effect: 'delete',
  scope: 'deliver',
  forRuns: 'own',
  guide: {
    useWhen: 'You reviewed the work of an attempt and want it in its target branch, or want to undo that.',
    next: 'get_task',
    avoid: 'Merging what you have not read; call get_attempt_changes first.',
  },
})
export class MergeAttemptTool implements ToolHandler<MergeAttemptInput, MergeAttemptOutput> {
  constructor(
    private readonly merges: MergeAttemptService,
    private readonly undos: UndoMergeService,
  ) {}

  call({ action, ...input }: MergeAttemptInput, { principal }: CallContext): Promise<MergeAttemptOutput> {
    return action === 'undo' ? this.undos.undo(undoInputOf(input), principal) : this.merges.merge(input, principal);
  }
}
