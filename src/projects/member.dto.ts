import { PROJECT_ROLES, type ProjectRole } from '../platform/access/scopes.js';
import { EnumField, ListField, TextField, TimeField, UuidField } from '../platform/fields/fields.js';
import { LimitField, OlderCursorField, PageOutput } from '../platform/fields/paging.js';
import { ExactlyOne } from '../platform/fields/mode-rules.js';
import { canonicalHandle } from '../workers/worker.dto.js';
import { ProjectTarget } from './project.dto.js';

const GroupField = (options: { optional?: boolean }) =>
  TextField('Group of the identity provider, letter by letter as it names it.', {
    ...options,
    nonBlank: true,
    maxLength: 500,
    example: 'engineering',
  });

@ExactlyOne('worker_id', 'user_id', 'handle', 'group')
export class AddMemberInput extends ProjectTarget {
  @UuidField('Worker to add (UUID), from GET /api/workers.', { optional: true }) worker_id?: string;
  @TextField('User id of the worker to add; an unknown user becomes a new worker.', {
    optional: true,
    nonBlank: true,
    maxLength: 200,
    blankIsAbsent: true,
    example: 'auth0|42',
  })
  user_id?: string;
  @TextField('Handle of the worker to add.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    normalise: canonicalHandle,
    example: '@ada',
  })
  handle?: string;
  @GroupField({ optional: true }) group?: string;
  @EnumField('Role: viewer, member, maintainer or owner. Default member, for the first member too.', PROJECT_ROLES, {
    optional: true,
    default: 'member',
    example: 'member',
  })
  role?: ProjectRole;
}

export class MemberTarget extends ProjectTarget {
  @UuidField('Worker id (UUID).') worker_id!: string;
}

export class ChangeRoleInput extends MemberTarget {
  @EnumField('New role of the member: viewer, member, maintainer or owner.', PROJECT_ROLES, {
    example: 'maintainer',
  })
  role!: ProjectRole;
}

export class GroupTarget extends ProjectTarget {
  @GroupField({}) group!: string;
}

export class ChangeGroupRoleInput extends GroupTarget {
  @EnumField('New role of the group: viewer, member, maintainer or owner.', PROJECT_ROLES, { example: 'maintainer' })
  role!: ProjectRole;
}

export class MemberOutput {
  @UuidField('Worker id (UUID), or null for a group.', { nullable: true }) worker_id!: string | null;
  @TextField('Handle of the worker, or null for a group.', { nullable: true, example: '@ada' }) handle!: string | null;
  @TextField('Name of the worker or group.', { example: 'Ada' }) name!: string;
  @EnumField('One of human, agent, group.', ['human', 'agent', 'group'], { example: 'human' })
  type!: 'human' | 'agent' | 'group';
  @EnumField('Role: viewer, member, maintainer or owner.', PROJECT_ROLES, { example: 'owner' }) role!: ProjectRole;
  @TimeField('When the member joined (RFC 3339).') joined_at!: string;
}

export class ListMembersInput extends ProjectTarget {
  @LimitField() limit?: number;
  @OlderCursorField() cursor?: number;
}

export class ListMembersOutput extends PageOutput {
  @UuidField('Project id (UUID).') project_id!: string;
  @ListField(
    'Members: groups first, then owners, then others; a project without members is open to every worker.',
    () => MemberOutput,
  )
  members!: MemberOutput[];
}

export class RemovedGroupOutput {
  @TextField('Group that was removed from the project.', { example: 'engineering' }) removed_group!: string;
}

export class RemovedMemberOutput {
  @UuidField('Worker that was removed from the project (UUID).') removed_worker_id!: string;
}
