import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  TextField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';
import { type DeliveryState, DeliveryStateField, TaskIdField } from '../tasks/task.dto.js';

/** Of each list. */
export const MAX_NOTICES = 50;
export const outcomes = ['completed', 'failed', 'stopped'] as const;

class NoticeOutput {
  @UuidField('Task that it is about (UUID).') task_id!: string;
  @TextField('Title of the task.', { example: 'Add a health check' }) title!: string;
  @UuidField('Project of the task (UUID).') project_id!: string;
  @TextField('Name of the project.', { example: 'Web shop' }) project_name!: string;
  @UuidField('Attempt that it is about (UUID).') attempt_id!: string;
  @TextField('Executor of its latest session, or null.', { nullable: true, example: 'CODEX' }) executor!: string | null;
  @TimeField('When it happened (RFC 3339).') at!: string;
  @BoolField('True if it happened after you last read your inbox.', { example: true }) is_unread!: boolean;
}

export class QuestionNoticeOutput extends NoticeOutput {
  @UuidField('Approval request that waits for an answer (UUID).') approval_id!: string;
  @TextField('What the agent wants to do, in one line.', { example: 'rm -r build' }) summary!: string;
  @BoolField('True if you watch the task.', { example: false }) is_watching!: boolean;
}

export class EndNoticeOutput extends NoticeOutput {
  @EnumField(`How the run ended: one of ${outcomes.join(', ')}.`, outcomes, { example: 'completed' })
  outcome!: (typeof outcomes)[number];
  @TextField('Why it failed, or null.', { nullable: true, example: null }) failure_summary!: string | null;
  @DeliveryStateField() delivery_state!: DeliveryState;
}

export class NoticesOutput {
  @ListField('What agents ask permission for in your projects, newest first, at most 50.', () => QuestionNoticeOutput)
  questions!: QuestionNoticeOutput[];
  @ListField(
    'Tasks that you watch whose latest run has ended since you began to, newest first, at most 50.',
    () => EndNoticeOutput,
  )
  ended!: EndNoticeOutput[];
  @IntField('How many of both you have not read. Integer.', { example: 2 }) unread!: number;
}

export class ReadMarkOutput {
  @TimeField('Up to when you have read your inbox (RFC 3339).') read_at!: string;
}

export class WatchTaskInput {
  @TaskIdField() task_id!: string;
  @BoolField('False ends it. Default true.', { optional: true, example: true }) watching?: boolean;
}

export class WatchOutput {
  @UuidField('Task (UUID).') task_id!: string;
  @BoolField('True if your inbox tells you when a run of the task ends or asks.', { example: true })
  is_watching!: boolean;
}
