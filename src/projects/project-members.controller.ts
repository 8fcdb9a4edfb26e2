import { Controller } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import {
  AddMemberInput,
  ChangeGroupRoleInput,
  ChangeRoleInput,
  GroupTarget,
  ListMembersInput,
  ListMembersOutput,
  MemberOutput,
  MemberTarget,
  RemovedGroupOutput,
  RemovedMemberOutput,
} from './member.dto.js';
import { ProjectMembersService } from './project-members.service.js';

@Controller('api')
export class ProjectMembersController {
  constructor(private readonly members: ProjectMembersService) {}

  @Endpoint('GET projects/:project_id/members', {
    tag: 'projects',
    summary: 'List the members of a project.',
    scope: 'read',
    output: ListMembersOutput,
    errors: ['project_not_found', 'not_a_member'],
  })
  listMembers(@Input() input: ListMembersInput, @Caller() caller: Principal): Promise<ListMembersOutput> {
    return this.members.list(input, caller);
  }

  @Endpoint('POST projects/:project_id/members', {
    tag: 'projects',
    summary: 'Add a person, an agent, or a group of the identity provider to a project.',
    scope: 'write',
    role: 'owner',
    status: 201,
    location: '/api/projects/{project_id}/members',
    example: { handle: '@ada' },
    output: MemberOutput,
    errors: [
      'project_not_found',
      'not_a_member',
      'forbidden',
      'worker_not_found',
      'already_member',
      'missing_target',
      'ambiguous_target',
    ],
  })
  addMember(@Input() input: AddMemberInput, @Caller() caller: Principal): Promise<MemberOutput> {
    return this.members.add(input, caller);
  }

  @Endpoint('PATCH projects/:project_id/members/:worker_id', {
    tag: 'projects',
    summary: 'Change the role of a member.',
    scope: 'write',
    role: 'owner',
    output: MemberOutput,
    errors: ['project_not_found', 'not_a_member', 'forbidden', 'worker_not_found', 'last_owner'],
  })
  changeMemberRole(@Input() input: ChangeRoleInput, @Caller() caller: Principal): Promise<MemberOutput> {
    return this.members.changeRole(input, caller);
  }

  @Endpoint('DELETE projects/:project_id/members/:worker_id', {
    tag: 'projects',
    summary: 'Remove a member from a project.',
    scope: 'write',
    role: 'owner',
    output: RemovedMemberOutput,
    errors: ['project_not_found', 'not_a_member', 'forbidden', 'worker_not_found', 'last_owner'],
  })
  removeMember(@Input() input: MemberTarget, @Caller() caller: Principal): Promise<RemovedMemberOutput> {
    return this.members.remove(input, caller);
  }

  @Endpoint('PATCH projects/:project_id/members', {
    tag: 'projects',
    summary: 'Change the role of a group of the identity provider.',
    scope: 'write',
    role: 'owner',
    output: MemberOutput,
    errors: ['project_not_found', 'not_a_member', 'forbidden', 'group_not_found'],
  })
  changeGroupRole(@Input() input: ChangeGroupRoleInput, @Caller() caller: Principal): Promise<MemberOutput> {
    return this.members.changeGroupRole(input, caller);
  }

  @Endpoint('DELETE projects/:project_id/members', {
    tag: 'projects',
    summary: 'Remove a group of the identity provider from a project.',
    scope: 'write',
    role: 'owner',
    output: RemovedGroupOutput,
    errors: ['project_not_found', 'not_a_member', 'forbidden', 'group_not_found'],
  })
  removeGroup(@Input() input: GroupTarget, @Caller() caller: Principal): Promise<RemovedGroupOutput> {
    return this.members.removeGroup(input, caller);
  }
}
