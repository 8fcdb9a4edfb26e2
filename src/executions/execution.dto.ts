import { EnumField, UuidField } from '../platform/fields/fields.js';

export class ExecutionStreamInput {
  @UuidField('Execution id (UUID): execution_process_id or latest_execution_process_id of a response.')
  execution_process_id!: string;
  @EnumField('Log channel: normalized or raw. Default normalized.', ['normalized', 'raw'], { optional: true })
  channel?: 'normalized' | 'raw';
}
