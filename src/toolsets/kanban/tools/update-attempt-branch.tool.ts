import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import {
  UpdateAttemptBranchInput,
  UpdateAttemptBranchOutput,
} from '../../../orchestration/update-attempt-branch.dto.js';
import { UpdateAttemptBranchService } from '../../../orchestration/update-attempt-branch.service.js';

@Injectable()
@Tool({
  name: 'update_attempt_branch',
  title: 'Update the branch of an attempt',
  input: UpdateAttemptBranchInput,
  output: UpdateAttemptBranchOutput,
  effect: 'update',
  scope: 'write',
  forRuns: 'own',
  guide: {
    useWhen: 'The target branch has moved on, or a conflict of such an update is resolved or to be given up.',
    next: 'get_attempt_delivery',
    avoid: 'action=start during a run; action=continue before every conflict is resolved.',
  },
})
export class UpdateAttemptBranchTool implements ToolHandler<UpdateAttemptBranchInput, UpdateAttemptBranchOutput> {
  constructor(private readonly updates: UpdateAttemptBranchService) {}

  call(input: UpdateAttemptBranchInput, { principal }: CallContext): Promise<UpdateAttemptBranchOutput> {
    return this.updates.update(input, principal);
  }
}
