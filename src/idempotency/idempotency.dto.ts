import { BoolField, EnumField, ListField, RecordField, TextField, TimeField } from '../platform/fields/fields.js';

/** Of every answer to a write that takes a `request_id`. */
export const ReplayedField = () =>
  BoolField('True if this request_id was answered before, and nothing was done again; otherwise absent.', {
    optional: true,
    example: true,
  });

export class IdempotencyKeyTarget {
  @TextField('The idempotency key that was sent (1 to 128 characters).', {
    nonBlank: true,
    maxLength: 128,
    example: 'create-task-7f3a',
  })
  key!: string;
}

export class IdempotentRequestOutput {
  @TextField('Operation the key was used for.', { example: 'create_task' }) operation!: string;
  @EnumField('State of the request: in_progress or completed.', ['in_progress', 'completed'], { example: 'completed' })
  state!: string;
  @RecordField('Result of the request, or null while it is in progress.', {
    nullable: true,
    example: { task_id: '0198c0de-0000-7000-8000-000000000003' },
  })
  result!: Record<string, unknown> | null;
  @TimeField('When the request arrived (RFC 3339).') created_at!: string;
}

export class IdempotencyKeyOutput {
  @TextField('The idempotency key.', { example: 'create-task-7f3a' }) key!: string;
  @ListField('Requests of the caller that used the key, newest first.', () => IdempotentRequestOutput)
  requests!: IdempotentRequestOutput[];
}
