import { IntField, ListField, RecordField, TextField, TimeField } from '../platform/fields/fields.js';
import { capped } from '../platform/fields/formats.js';

const MAX_DAYS = 36_500;

export class ToolUseInput {
  @IntField('Number of past days to include, at least 1. Default 30; large values are capped.', {
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
  @IntField('Number of calls. Integer.', { example: 120 }) calls!: number;
  @IntField('Number of refused calls. Integer.', { example: 3 }) refusals!: number;
  @RecordField('Refusals by error code.', { example: { session_busy: 3 } }) codes!: Record<string, number>;
  @IntField('Median duration of a call in milliseconds. Integer.', { example: 4 }) median_ms!: number;
}

export class ToolUseOutput {
  @TimeField('Start of the period (RFC 3339).') since!: string;
  @ListField('Tools by number of calls, most used first.', () => ToolUseRow) tools!: ToolUseRow[];
}
