/** What only the agent of a run does, for itself. */
import { type CallContext, Tool, type ToolHandler } from '../../mcp/tool.js';
import { RequestHostInput, RequestHostOutput } from '../../network/host-request.dto.js';
import { HostRequests } from '../../network/host-requests.service.js';

@Tool({
  name: 'request_host',
  title: 'Ask for a host',
  input: RequestHostInput,
  output: RequestHostOutput,
  effect: 'update',
  scope: 'write',
  needsAttempt: true,
  onlyForRuns: true,
  forRuns: 'own',
  guide: {
    useWhen: 'A connection was refused because its host is not on the list of your run, and you need it.',
    next: 'get_context',
    avoid: 'Asking for a host that you can do without; looking for another way around the list, which there is not.',
  },
})
export class RequestHostTool implements ToolHandler<RequestHostInput, RequestHostOutput> {
  constructor(private readonly requests: HostRequests) {}

  call(input: RequestHostInput, { principal }: CallContext): Promise<RequestHostOutput> {
    return this.requests.request(input, principal);
  }
}
