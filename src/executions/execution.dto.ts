import { EnumField, UuidField } from '../platform/fields/fields.js';

export class ExecutionStreamInput {
  @UuidField('Run (UUID): execution_process_id or latest_execution_process_id of an answer.')
  execution_process_id!: string;
  @EnumField('normalized or raw. Default normalized.', ['normalized', 'raw'], { optional: true }) channel?:
    'normalized' | 'raw';
}
