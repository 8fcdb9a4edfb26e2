import { RecordField, TextField, TextListField, UuidField } from '../platform/fields/fields.js';

export class ToolCallQuery {
  @UuidField('The attempt the call is bound to, UUID; get_context needs it.', { optional: true, blankIsAbsent: false })
  attempt_id?: string;
}

/** Its fields are those of the output schema of the tool; tools/list of the toolset shows them. */
export class ToolResult {}

export class CompletionInput {
  @TextField('The toolset whose argument is completed.', { example: 'kanban' }) toolset!: string;
  @TextField('Name of the argument.', { example: 'executor' }) argument!: string;
  @TextField('What is typed so far; may be empty.', { example: 'SH' }) value!: string;
  @RecordField('Texts already chosen for other arguments, by name.', { optional: true, example: { executor: 'SHELL' } })
  context?: Record<string, unknown>;
}

export class CompletionOutput {
  @TextListField('Values that begin with what is typed, best first.', { example: ['SHELL'] }) values!: string[];
}
