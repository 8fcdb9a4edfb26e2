import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  RecordField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';
import { LimitField, WaitField } from '../platform/fields/paging.js';

/** As CloudEvents name them. */
const eventKinds = [
  'taskyard.task.created',
  'taskyard.task.updated',
  'taskyard.task.moved',
  'taskyard.task.deleted',
  'taskyard.task.restored',
  'taskyard.task.archived',
  'taskyard.task.unarchived',
  'taskyard.attempt.started',
  'taskyard.attempt.completed',
  'taskyard.attempt.failed',
  'taskyard.attempt.stopped',
  'taskyard.attempt.commented',
  'taskyard.attempt.queue_changed',
  'taskyard.attempt.delivery_changed',
  'taskyard.approval.asked',
  'taskyard.approval.answered',
  'taskyard.approval.timed_out',
  'taskyard.approval.cancelled',
  'taskyard.check.started',
  'taskyard.check.passed',
  'taskyard.check.failed',
  'taskyard.check.errored',
  'taskyard.network.denied',
  'taskyard.project.imported',
  'taskyard.review.submitted',
  'taskyard.continuation.due',
  'taskyard.continuation.exhausted',
] as const;
export type EventKind = (typeof eventKinds)[number];

/** Default and maximum are the same, because readers want everything. */
export const MAX_EVENTS = 500;

const AfterField = () =>
  IntField('Return only events with a greater number; 0 starts at the oldest one kept. Integer.', {
    optional: true,
    minimum: 0,
    example: 41,
  });

export class ListEventsInput {
  @UuidField('Only events of this project (UUID).', { optional: true }) project_id?: string;
  @AfterField() after?: number;
  @LimitField(MAX_EVENTS, MAX_EVENTS) limit?: number;
  @WaitField('for an event.')
  wait_ms?: number;
  @IntField(
    'Only for a stream: begin with the events of the last so many milliseconds, for a client that has read since then.',
    { optional: true, minimum: 0, example: 800 },
  )
  recent_ms?: number;
}

export const DEFAULT_CHANGES = 50;

/** What a model takes in at once. */
export class ProjectChangesInput {
  @UuidField('UUID from list_projects.') project_id!: string;
  @IntField('The last next_after. Default: from now on.', {
    optional: true,
    minimum: 0,
    example: 41,
  })
  after?: number;
  @LimitField(DEFAULT_CHANGES, MAX_EVENTS) limit?: number;
  @WaitField('for a change.')
  wait_ms?: number;
}

export class ProjectEventsInput {
  @UuidField('Project id (UUID).') project_id!: string;
  @AfterField() after?: number;
}

export class EventOutput {
  @IntField('Number of the event; numbers grow, with gaps. Integer.', { example: 42 }) number!: number;
  @UuidField('Project (UUID), or null for a task without one.', { nullable: true }) project_id!: string | null;
  @EnumField(`What happened: one of ${eventKinds.join(', ')}.`, eventKinds, { example: 'taskyard.task.moved' })
  type!: EventKind;
  @UuidField('Task, attempt, approval request or project that it happened to (UUID).') subject!: string;
  @RecordField('Facts of the event, including ids.', {
    example: { task_id: '0198c0de-0000-7000-8000-000000000001', before: { status: 'todo' }, after: { status: 'done' } },
  })
  data!: Record<string, unknown>;
  @TimeField('When it happened (RFC 3339).') created_at!: string;
}

export class MissedEventsOutput {
  @IntField('The stream goes on after this number; what came before was too much to tell. Integer.', { example: 42 })
  upto!: number;
}

export class ListEventsOutput {
  @ListField('Events, oldest first.', () => EventOutput) events!: EventOutput[];
  @BoolField('True if there are newer ones; pass next_after as after.', { example: false }) has_more!: boolean;
  @IntField('Pass as after to read on. Integer.', { example: 42 }) next_after!: number;
}
