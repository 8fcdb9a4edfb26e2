import {
  EnumField,
  IntField,
  ListField,
  RecordField,
  TextField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';
import { PageOutput } from '../platform/fields/paging.js';

export class AuditRowOutput {
  @IntField('Order of the entry. Whole number.', { example: 7 }) number!: number;
  @EnumField('What was changed: task, project, worker or execution.', ['task', 'project', 'worker', 'execution'], {
    example: 'task',
  })
  entity_type!: string;
  @UuidField('Id of what was changed (UUID).') entity_id!: string;
  @TextField('What was done, for example created, updated, status_changed, assigned, run_ended.', {
    example: 'status_changed',
  })
  action!: string;
  @UuidField('The worker who did it (UUID), or null.', { nullable: true }) actor_id!: string | null;
  @TextField('Handle of the worker, or the name of what acted.', { example: '@ada' }) actor!: string;
  @EnumField('human, agent or system.', ['human', 'agent', 'system'], { example: 'human' }) actor_type!: string;
  @RecordField('What was there before and after.', { example: { before: 'pending', after: 'in_progress' } })
  details!: Record<string, unknown>;
  @TimeField('When (RFC 3339).') created_at!: string;
}

export class AuditOutput extends PageOutput {
  @ListField('Entries, newest first.', () => AuditRowOutput) entries!: AuditRowOutput[];
}
