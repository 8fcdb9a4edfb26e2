import { EnumField, ListField, TextField, TimeField, UuidField } from '../platform/fields/fields.js';
import { PageInput, PageOutput } from '../platform/fields/paging.js';
import type { NewWorker, Worker } from './worker.entity.js';

/** `Ada` and `@ada` mean @ada. */
export function canonicalHandle(value: unknown): unknown {
  return typeof value === 'string' ? `@${value.trim().toLowerCase().replace(/^@/, '')}` : value;
}

export class CreateWorkerInput {
  @TextField('Unique handle: @ and 1 to 49 lower-case letters, digits, hyphens or underscores.', {
    nonBlank: true,
    normalise: canonicalHandle,
    example: '@ada',
  })
  handle!: string;
  @TextField('Display name.', { nonBlank: true, maxLength: 200, example: 'Ada' }) name!: string;
  @EnumField('Type of worker: human or agent.', ['human', 'agent'], { example: 'human' }) type!: 'human' | 'agent';
  @TextField('Id of the user in the calling system, sent as X-User-Id or user_id.', {
    optional: true,
    nonBlank: true,
    maxLength: 200,
    blankIsAbsent: true,
    example: 'auth0|42',
  })
  user_id?: string;
}

export class ListWorkersInput extends PageInput {}

export class WorkerOutput {
  @UuidField('Worker id (UUID).') worker_id!: string;
  @TextField('Unique handle.', { example: '@ada' }) handle!: string;
  @TextField('Display name.', { example: 'Ada' }) name!: string;
  @EnumField('Type of worker: human or agent.', ['human', 'agent'], { example: 'human' }) type!: 'human' | 'agent';
  @TextField('Id of the user in the calling system, or null.', { nullable: true, example: 'auth0|42' }) user_id!:
    string | null;
  @TimeField('When it was created (RFC 3339).') created_at!: string;
}

export class ListWorkersOutput extends PageOutput {
  @ListField('Workers, newest first.', () => WorkerOutput) workers!: WorkerOutput[];
}

type Shown = NewWorker & Pick<Worker, 'created_at'>;
export const toWorkerOutput = ({ id, handle, name, type, user_id, created_at }: Shown): WorkerOutput => ({
  worker_id: id,
  handle,
  name,
  type,
  user_id,
  created_at: created_at.toISOString(),
});
