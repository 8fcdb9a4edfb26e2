import { ListField, RecordField, TextField, TimeField, UuidField } from '../platform/fields/fields.js';
import { PageInput, PageOutput } from '../platform/fields/paging.js';

export class ListRulesInput extends PageInput {
  @UuidField('Project id (UUID).') project_id!: string;
}

export class RuleTarget {
  @UuidField('Project id (UUID).') project_id!: string;
  @UuidField('Id of the rule (UUID).') rule_id!: string;
}

export class ApprovalRuleOutput {
  @UuidField('Id of the rule (UUID).') rule_id!: string;
  @TextField('Tool that agents may use so without asking.', { example: 'Bash' }) tool_name!: string;
  @TextField('What it does, in one line.', { example: 'npm test' }) summary!: string;
  @RecordField('Arguments of the tool; others are asked for.', { example: { command: 'npm test' } })
  input!: Record<string, unknown>;
  @TextField('Who said so.', { example: '@ada' }) made_by!: string;
  @TimeField('When it was said (RFC 3339).') created_at!: string;
}

export class ListRulesOutput extends PageOutput {
  @ListField('Rules of the project, newest first.', () => ApprovalRuleOutput) rules!: ApprovalRuleOutput[];
}

export class RevokedRuleOutput {
  @UuidField('Rule that is revoked (UUID).') revoked_rule_id!: string;
}
