import { IntField, ListField, RecordField, TextField, TimeField } from '../platform/fields/fields.js';
import { capped } from '../platform/fields/storable.js';

const MAX_DAYS = 36_500;

export class ToolUseInput {
  @IntField('How many days back, 1 or more. Default 30; large values are capped.', {
    optional: true,
    minimum: 1,
    default: 30,
    normalise: capped(MAX_DAYS),
  })
  days?: number;
}

export class ToolUseRow {
  @TextField('Toolset of the tool.', { example: 'kanban' }) toolset!: string;
  @TextField('Name of the tool.', { example: 'follow_up' }) tool!: string;
  @IntField('How often it was called. Whole number.', { example: 120 }) calls!: number;
  @IntField('How many of the calls were refused. Whole number.', { example: 3 }) refusals!: number;
  @RecordField('Refusals by error code.', { example: { session_busy: 3 } }) codes!: Record<string, number>;
  @IntField('Median time of a call in milliseconds, rounded. Whole number.', { example: 4 }) median_ms!: number;
}

export class ToolUseOutput {
  @TimeField('Calls since then are counted (RFC 3339).') since!: string;
  @ListField('Tools that were called, most called first.', () => ToolUseRow) tools!: ToolUseRow[];
}
