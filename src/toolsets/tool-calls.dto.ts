import { RUN_REACHES, type RunReach } from '../platform/access/rights.js';
import { type Scope, SCOPES } from '../platform/access/scopes.js';
import {
  BoolField,
  EnumField,
  EnumListField,
  RecordField,
  TextField,
  TextListField,
  UuidField,
} from '../platform/fields/fields.js';

export class ToolCallQuery {
  @UuidField('Attempt the call is bound to (UUID); get_context requires it.', { optional: true, blankIsAbsent: false })
  attempt_id?: string;
  @UuidField('Project (UUID) for arguments that leave out project_id.', { optional: true, blankIsAbsent: false })
  project_id?: string;
}

export class OfferOutput {
  @EnumListField('Tools that need one of these scopes are listed.', SCOPES, { example: ['read', 'write'] })
  scopes!: Scope[];
  @EnumField('For the agent of a run: own, attempts or review, what it may change; otherwise null.', RUN_REACHES, {
    nullable: true,
    example: null,
  })
  run!: RunReach | null;
  @BoolField('True if a forge is configured, so that tools of pull requests are listed.', { example: false })
  has_forge!: boolean;
}

/** Its fields are those of the output schema of the tool, which tools/list returns. */
export class ToolResult {}

export class CompletionInput {
  @TextField('Toolset of the argument to complete.', { example: 'kanban' }) toolset!: string;
  @TextField('Name of the argument.', { example: 'executor' }) argument!: string;
  @TextField('Text typed so far; may be empty.', { example: 'SH' }) value!: string;
  @RecordField('Values already chosen for other arguments, by name.', {
    optional: true,
    example: { executor: 'SHELL' },
  })
  context?: Record<string, unknown>;
}

export class CompletionOutput {
  @TextListField('Values that start with the typed text, best first.', { example: ['SHELL'] }) values!: string[];
}
