import { Injectable } from '@nestjs/common';
import { type CallContext, Tool, type ToolHandler } from '../../../mcp/tool.js';
import { ThoughtsService } from '../../../thoughts/thoughts.service.js';
import { ColibriVerify, ColibriVerifyAnswer } from '../colibri.dto.js';

@Injectable()
@Tool({
  name: 'audit_verify_chain',
  title: 'Verify the chain',
  input: ColibriVerify,
  output: ColibriVerifyAnswer,
  effect: 'read',
  scope: 'read',
  guide: {
    useWhen: 'You want to verify that no thought record was tampered with.',
    next: 'thought_record_list',
    avoid: 'Reading broken_count without valid; both describe the same records.',
  },
})
export class AuditVerifyChainTool implements ToolHandler<ColibriVerify, object> {
  constructor(private readonly thoughts: ThoughtsService) {}

  async call({ task_id }: ColibriVerify, { principal }: CallContext): Promise<object> {
    return this.thoughts.verify(task_id, principal);
  }
}
