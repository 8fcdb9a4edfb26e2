import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { ListRulesInput, ListRulesOutput, RevokedRuleOutput, RuleTarget } from './approval-rule.dto.js';
import { ApprovalRules } from './approval-rules.service.js';

@ApiTags('approvals')
@Controller('api')
export class ApprovalRulesController {
  constructor(private readonly rules: ApprovalRules) {}

  @Endpoint('GET projects/:project_id/approval-rules', {
    summary: 'List what agents of a project do without asking, newest first.',
    scope: 'read',
    role: 'member',
    output: ListRulesOutput,
    errors: ['project_not_found', 'not_a_member', 'forbidden'],
  })
  listApprovalRules(@Input() input: ListRulesInput, @Caller() caller: Principal): Promise<ListRulesOutput> {
    return this.rules.list(input, caller);
  }

  @Endpoint('DELETE projects/:project_id/approval-rules/:rule_id', {
    summary: 'Revoke what agents need not ask: from now on they ask again.',
    scope: 'write',
    role: 'maintainer',
    output: RevokedRuleOutput,
    errors: ['project_not_found', 'not_a_member', 'forbidden', 'rule_not_found'],
  })
  revokeApprovalRule(@Input() input: RuleTarget, @Caller() caller: Principal): Promise<RevokedRuleOutput> {
    return this.rules.revoke(input, caller);
  }
}
