import {
  EnumField,
  IntField,
  ListField,
  RecordField,
  TextField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';
import { PageInput, PageOutput } from '../platform/fields/paging.js';

export class AuditRowOutput {
  @IntField('Sequence number of the entry. Integer.', { example: 7 }) number!: number;
  @EnumField(
    'Kind of entity that changed: task, project, worker, execution, delivery, token or caller.',
    ['task', 'project', 'worker', 'execution', 'delivery', 'token', 'caller'],
    {
      example: 'task',
    },
  )
  entity_type!: string;
  @UuidField('Id of that entity (UUID), or null for a caller that is no record.', { nullable: true }) entity_id!:
    string | null;
  @UuidField('Project it belongs to (UUID), or null.', { nullable: true }) project_id!: string | null;
  @TextField('Action, for example created, status_changed, run_ended, token_created, signed_in, refused.', {
    example: 'status_changed',
  })
  action!: string;
  @UuidField('Worker who did it (UUID), or null.', { nullable: true }) actor_id!: string | null;
  @TextField('Handle of the worker, or name of the system component.', { example: '@ada' }) actor!: string;
  @EnumField('Kind of actor: human, agent or system.', ['human', 'agent', 'system'], { example: 'human' })
  actor_type!: string;
  @TextField('Who acted in the name of the actor (act_as), or null.', { nullable: true, example: 'chat-bridge' })
  caller!: string | null;
  @RecordField('Values before and after the change.', { example: { before: 'pending', after: 'in_progress' } })
  details!: Record<string, unknown>;
  @TimeField('When it happened (RFC 3339).') created_at!: string;
}

export class ListAuditInput extends PageInput {
  @UuidField('Only entries of this project (UUID).', { optional: true }) project_id?: string;
  @TextField('Only this action, for example token_created.', {
    optional: true,
    blankIsAbsent: true,
    example: 'created',
  })
  action?: string;
  @TextField('Only entries of this actor, by handle or name.', { optional: true, blankIsAbsent: true, example: '@ada' })
  actor?: string;
  @TimeField('Only entries from this time on (RFC 3339).', { optional: true }) from?: string;
  @TimeField('Only entries before this time (RFC 3339).', { optional: true }) to?: string;
}

export class FollowAuditInput {
  @IntField('Only entries with a greater number; 0 starts at the oldest one kept. Integer.', {
    optional: true,
    minimum: 0,
    default: 0,
    example: 41,
  })
  after?: number;
}

export class AuditOutput extends PageOutput {
  @ListField('Entries, newest first.', () => AuditRowOutput) entries!: AuditRowOutput[];
}
