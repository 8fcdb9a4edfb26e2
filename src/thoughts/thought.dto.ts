import { pick } from '../platform/fields/field-node.js';
import { EnumField, IntField, ListField, TextField, TimeField, UuidField } from '../platform/fields/fields.js';
import { OlderCursorField, PageOutput } from '../platform/fields/paging.js';
import { TaskTarget } from '../tasks/task.dto.js';
import { type NewThoughtRecord, type ThoughtType, thoughtTypes } from './thought-record.entity.js';

export class CreateThoughtInput extends TaskTarget {
  @EnumField(`Kind of the thought: one of ${thoughtTypes.join(', ')}.`, thoughtTypes, { example: 'reflection' })
  type!: ThoughtType;
  @TextField('Author: name or handle of the agent.', { nonBlank: true, example: '@claude' }) agent_id!: string;
  @TextField('Content of the thought, as free text.', { nonBlank: true, example: 'Tests pass; the route answers 200.' })
  content!: string;
  @TextField('Session of the thought, as free text.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: 'session-7',
  })
  session_id?: string;
}

export class ListThoughtsInput extends TaskTarget {
  @IntField('Maximum number of records to return, at least 1. Default 100, capped at 500.', {
    optional: true,
    minimum: 1,
    default: 100,
  })
  limit?: number;
  @OlderCursorField() cursor?: number;
}

export class ThoughtOutput {
  @UuidField('Id of the record (UUID).') id!: string;
  @UuidField('Task of the record (UUID).') task_id!: string;
  @EnumField(`Kind: one of ${thoughtTypes.join(', ')}.`, thoughtTypes, { example: 'reflection' }) type!: ThoughtType;
  @TextField('Author of the record, as stated.', { example: '@claude' }) agent_id!: string;
  @TextField('Who was signed in and wrote it.', { example: '@claude' }) recorded_by!: string;
  @TextField('Content of the thought.', { example: 'Tests pass.' }) content!: string;
  @TextField('Session of the thought, or null.', { nullable: true, example: null }) session_id!: string | null;
  @TimeField('When it was written (RFC 3339).') timestamp!: string;
  @TextField('Hash of the previous record; 64 zeros for the first.', { example: '0'.repeat(64) }) prev_hash!: string;
  @TextField('SHA-256 of the record and of prev_hash.', { example: 'a'.repeat(64) }) hash!: string;
}

export class ListThoughtsOutput extends PageOutput {
  @ListField('Records in the order they were written.', () => ThoughtOutput) records!: ThoughtOutput[];
  @IntField('Total number of matches. Integer.', { example: 1 }) total_count!: number;
}

export const toThoughtOutput = (record: NewThoughtRecord): ThoughtOutput => pick(ThoughtOutput, record);
