import { Injectable } from '@nestjs/common';
import { AttemptDeliveryInput, AttemptDeliveryOutput } from '../../../deliveries/delivery.dto.js';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ViewDeliveryService } from '../../../orchestration/view-delivery.service.js';

@Injectable()
@Tool({
  name: 'get_attempt_delivery',
  title: 'Get attempt delivery',
  input: AttemptDeliveryInput,
  output: AttemptDeliveryOutput,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want to know how the work of an attempt stands to its target branch, and whether it would merge.',
    next: 'merge_attempt',
    avoid: 'Calling it in a tight loop, or with refresh each time; pass wait_ms.',
  },
})
export class GetAttemptDeliveryTool implements ToolHandler<AttemptDeliveryInput, AttemptDeliveryOutput> {
  constructor(private readonly views: ViewDeliveryService) {}

  call(input: AttemptDeliveryInput, { principal }: CallContext): Promise<AttemptDeliveryOutput> {
    return this.views.get(input, principal);
  }
}
