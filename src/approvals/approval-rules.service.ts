import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import type { Principal } from '../platform/access/principal.js';
import { isRun, withRight } from '../platform/access/rights.js';
import { rightOf } from '../platform/access/scopes.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import { pageLimit } from '../platform/fields/paging.js';
import { projectFact } from '../projects/project.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { Approval, NewApproval } from './approval.entity.js';
import type {
  ApprovalRuleOutput,
  ListRulesInput,
  ListRulesOutput,
  RevokedRuleOutput,
  RuleTarget,
} from './approval-rule.dto.js';
import { type ApprovalRule, ApprovalRulesRepository } from './approval-rules.repository.js';

/** What agents of a project do without asking, because a maintainer has said so of an equal request. */
@Injectable()
export class ApprovalRules {
  constructor(
    private readonly database: Database,
    private readonly ruleRows: ApprovalRulesRepository,
    private readonly projectRows: ProjectsRepository,
    private readonly audit: AuditService,
  ) {}

  /** @throws AppError invalid_argument, forbidden, insufficient_scope */
  async add(tx: Transaction, approval: Approval, principal: Principal): Promise<void> {
    requireRepeatable(approval);
    if (principal.actor.type === 'agent' || isRun(principal))
      throw new AppError('forbidden', { reason: 'a person must decide what is always approved' });
    const { project_id, tool_name, summary, input } = approval;
    const maintainer = withRight(principal, rightOf({ scope: 'write', role: 'maintainer' }));
    await this.projectRows.lock(tx, maintainer, project_id);
    const rule = { id: newId(), project_id, tool_name, summary, input, made_by: principal.actor.name };
    if (await this.ruleRows.insert(tx, rule)) await this.record(tx, 'approval_rule_added', rule, principal);
  }

  /** Who has approved an equal request for good, or null. */
  async approverOf(asked: NewApproval): Promise<string | null> {
    return (await this.ruleRows.find(asked))?.made_by ?? null;
  }

  /** @throws AppError project_not_found, not_a_member */
  async list({ project_id, limit, cursor }: ListRulesInput, principal: Principal): Promise<ListRulesOutput> {
    await this.projectRows.get(principal, project_id);
    const { rows, ...page } = await this.ruleRows.list(project_id, pageLimit(limit), cursor);
    return { ...page, rules: rows.map(toOutput) };
  }

  /** @throws AppError project_not_found, not_a_member, forbidden, rule_not_found */
  async revoke({ project_id, rule_id }: RuleTarget, principal: Principal): Promise<RevokedRuleOutput> {
    return this.database.transaction(async (tx) => {
      await this.projectRows.lock(tx, principal, project_id);
      const rule = await this.ruleRows.delete(tx, project_id, rule_id);
      if (rule === null) throw new AppError('rule_not_found', { rule_id, project_id });
      await this.record(tx, 'approval_rule_revoked', rule, principal);
      return { revoked_rule_id: rule_id };
    });
  }

  private record(
    tx: Transaction,
    action: string,
    { id: rule_id, project_id, tool_name, summary }: Omit<ApprovalRule, 'number' | 'created_at'>,
    principal: Principal,
  ): Promise<void> {
    return this.audit.record(tx, principal, projectFact(project_id, action, { rule_id, tool_name, summary }));
  }
}

/** Of arguments that are kept in part nobody can say that they are the same. @throws AppError invalid_argument */
function requireRepeatable({ delivery, requested_host, input }: Approval): void {
  const reason =
    delivery !== null || requested_host !== null
      ? 'always is only for tools of agents; leave it out'
      : input.is_truncated === true &&
        'always needs the whole arguments, and these were too long to keep; leave it out';
  if (reason) throw refusal([{ field: 'always', message: reason }]);
}

const toOutput = ({ id, tool_name, summary, input, made_by, created_at }: ApprovalRule): ApprovalRuleOutput => ({
  rule_id: id,
  tool_name,
  summary,
  input,
  made_by,
  created_at: created_at.toISOString(),
});
