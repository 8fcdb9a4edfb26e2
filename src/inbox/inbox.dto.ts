import { type ContinuationCause, continuationCauses } from '../continuations/continuation.entity.js';
import { EnumField, IntField, ListField, TextField, TimeField, UuidField } from '../platform/fields/fields.js';
import { LimitField } from '../platform/fields/paging.js';
import { type DeliveryState, DeliveryStateField } from '../tasks/task.dto.js';

export const MAX_WAITING = 50;

export class ReadInboxInput {
  @LimitField(MAX_WAITING, MAX_WAITING) limit?: number;
}

class WaitingTaskOutput {
  @UuidField('Task id (UUID).') task_id!: string;
  @TextField('Title of the task.', { example: 'Add a health check' }) title!: string;
  @UuidField('Project of the task (UUID).') project_id!: string;
  @TextField('Name of the project.', { example: 'Web shop' }) project_name!: string;
  @UuidField('Latest attempt of the task (UUID), or null.', { nullable: true }) attempt_id!: string | null;
  @TextField('Executor of its latest session, or null.', { nullable: true, example: 'CODEX' }) executor!: string | null;
  @DeliveryStateField() delivery_state!: DeliveryState;
  @TimeField('When it began to wait (RFC 3339).') waits_since!: string;
}

export class InboxTaskOutput extends WaitingTaskOutput {
  @TextField('Why the run failed, or null.', { nullable: true, example: 'not logged in' }) failure_summary!:
    string | null;
  @TextField('What to do about the failure, or null.', { nullable: true, example: 'Send a follow-up to continue.' })
  hint!: string | null;
}

export class ExhaustedTaskOutput extends WaitingTaskOutput {
  @EnumField(`What it went on for: one of ${continuationCauses.join(', ')}.`, continuationCauses, { example: 'repair' })
  cause!: ContinuationCause;
  @TextField('Why it goes on no more by itself.', { example: 'the same checks failed twice' }) reason!: string;
}

export class InboxOutput {
  @ListField('Open tasks whose latest run failed or was stopped, the newest failure first.', () => InboxTaskOutput)
  failed!: InboxTaskOutput[];
  @ListField('Tasks in review whose latest run has not failed, the newest task first.', () => InboxTaskOutput)
  reviews!: InboxTaskOutput[];
  @ListField('Tasks whose latest attempt goes on no more by itself, the newest first.', () => ExhaustedTaskOutput)
  exhausted!: ExhaustedTaskOutput[];
  @IntField('Limit that was applied to each list, after the cap. Integer.', { example: 50 }) limit!: number;
}
