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
  @IntField('Sequence number of the entry. Integer.', { example: 7 }) number!: number;
  @EnumField(
    'Kind of entity that changed: task, project, worker or execution.',
    ['task', 'project', 'worker', 'execution'],
    {
      example: 'task',
    },
  )
  entity_type!: string;
  @UuidField('Id of that entity (UUID).') entity_id!: string;
  @TextField('Action, for example created, updated, status_changed, assigned, run_ended.', {
    example: 'status_changed',
  })
  action!: string;
  @UuidField('Worker who did it (UUID), or null.', { nullable: true }) actor_id!: string | null;
  @TextField('Handle of the worker, or name of the system component.', { example: '@ada' }) actor!: string;
  @EnumField('Kind of actor: human, agent or system.', ['human', 'agent', 'system'], { example: 'human' })
  actor_type!: string;
  @RecordField('Values before and after the change.', { example: { before: 'pending', after: 'in_progress' } })
  details!: Record<string, unknown>;
  @TimeField('When it happened (RFC 3339).') created_at!: string;
}

export class AuditOutput extends PageOutput {
  @ListField('Entries, newest first.', () => AuditRowOutput) entries!: AuditRowOutput[];
}
