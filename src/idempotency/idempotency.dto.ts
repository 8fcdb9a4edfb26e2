import { EnumField, ListField, RecordField, TextField, TimeField } from '../platform/fields/fields.js';

export class IdempotencyKeyTarget {
  @TextField('The key that was sent (1 to 128 characters).', {
    nonBlank: true,
    maxLength: 128,
    example: 'create-task-7f3a',
  })
  key!: string;
}

export class IdempotentRequestOutput {
  @TextField('Operation the key was used for.', { example: 'create_task' }) operation!: string;
  @EnumField('in_progress or completed.', ['in_progress', 'completed'], { example: 'completed' }) state!: string;
  @RecordField('What the request answered, or null while it is in progress.', {
    nullable: true,
    example: { task_id: '0198c0de-0000-7000-8000-000000000003' },
  })
  result!: Record<string, unknown> | null;
  @TimeField('When the request arrived (RFC 3339).') created_at!: string;
}

export class IdempotencyKeyOutput {
  @TextField('The key.', { example: 'create-task-7f3a' }) key!: string;
  @ListField('What became of the requests of the caller that used it, newest first.', () => IdempotentRequestOutput)
  requests!: IdempotentRequestOutput[];
}
