import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { MergePullRequestService } from '../../../orchestration/merge-pull-request.service.js';
import { MergePullRequestInput, MergePullRequestOutput } from '../../../orchestration/pull-request.dto.js';

@Injectable()
@Tool({
  name: 'merge_pull_request',
  title: 'Merge a pull request',
  input: MergePullRequestInput,
  output: MergePullRequestOutput,
  effect: 'delete',
  scope: 'deliver',
  forRuns: 'own',
  guide: {
    useWhen: 'You reviewed the pull request of an attempt and want it merged, queued or closed.',
    next: 'get_task',
    avoid: 'Merging with failing or unknown checks: it is refused; call get_pull_request first.',
  },
})
export class MergePullRequestTool implements ToolHandler<MergePullRequestInput, MergePullRequestOutput> {
  constructor(private readonly merges: MergePullRequestService) {}

  call(input: MergePullRequestInput, { principal }: CallContext): Promise<MergePullRequestOutput> {
    return this.merges.merge(input, principal);
  }
}
