import { RecordField, TextField, TextListField, UuidField } from '../platform/fields/fields.js';

export class ToolCallQuery {
  @UuidField('Attempt the call is bound to (UUID); get_context requires it.', { optional: true, blankIsAbsent: false })
  attempt_id?: string;
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
