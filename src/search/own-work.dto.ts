import { ListField, TextField, TimeField, UuidField } from '../platform/fields/fields.js';
import { PageOutput } from '../platform/fields/paging.js';
import { EndedByField, LatestStateField } from '../tasks/board.dto.js';
import { type DeliveryState, DeliveryStateField, StatusField } from '../tasks/task.dto.js';
import type { TaskStatus } from '../tasks/task-stage.js';

export class OwnTaskOutput {
  @UuidField('Task id (UUID).') task_id!: string;
  @TextField('Title of the task.', { example: 'Add a health check' }) title!: string;
  @StatusField('Status') status!: TaskStatus;
  @UuidField('Project of the task (UUID).') project_id!: string;
  @TextField('Name of the project.', { example: 'Web shop' }) project_name!: string;
  @TextField('Priority as entered, or null.', { nullable: true, example: 'high' }) priority!: string | null;
  @TimeField('When it is due (RFC 3339), or null.', { nullable: true }) due_date!: string | null;
  @UuidField('Latest attempt of the task (UUID), or null.', { nullable: true }) latest_attempt_id!: string | null;
  @LatestStateField() state!: string | null;
  @EndedByField() ended_by!: 'stop' | null;
  @DeliveryStateField() delivery_state!: DeliveryState;
  @TimeField('When it was last changed (RFC 3339).') updated_at!: string;
}

export class OwnWorkOutput extends PageOutput {
  @ListField('Open tasks that are assigned to you, newest first.', () => OwnTaskOutput) tasks!: OwnTaskOutput[];
}
