import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ChangePullRequestService } from '../../../orchestration/change-pull-request.service.js';
import { OpenPullRequestService } from '../../../orchestration/open-pull-request.service.js';
import { OpenPullRequestInput, OpenPullRequestOutput } from '../../../orchestration/pull-request.dto.js';

@Injectable()
@Tool({
  name: 'open_pull_request',
  title: 'Open a pull request',
  input: OpenPullRequestInput,
  output: OpenPullRequestOutput,
  effect: 'create',
  scope: 'deliver',
  guide: {
    useWhen: 'You want reviewers to see the work of an attempt, or to change what its pull request says.',
    next: 'get_pull_request',
    avoid: 'Opening a second one: the one that is open is answered; push_attempt brings newer work there.',
  },
})
export class OpenPullRequestTool implements ToolHandler<OpenPullRequestInput, OpenPullRequestOutput> {
  constructor(
    private readonly opening: OpenPullRequestService,
    private readonly changes: ChangePullRequestService,
  ) {}

  call({ action, url, ...input }: OpenPullRequestInput, { principal }: CallContext): Promise<OpenPullRequestOutput> {
    const { attempt_id, request_id } = input;
    if (action === 'attach') return this.changes.attach({ attempt_id, request_id, url: url! }, principal);
    return action === 'update' ? this.changes.update(input, principal) : this.opening.open(input, principal);
  }
}
