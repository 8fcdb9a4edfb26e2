import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { ALL_MEMBERS, memberKey } from '../platform/access/verified-tokens.js';
import type { Principal } from '../platform/access/principal.js';
import type { ProjectRole } from '../platform/access/scopes.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { pageLimit } from '../platform/fields/paging.js';
import type { Worker } from '../workers/worker.entity.js';
import { WorkersRepository } from '../workers/workers.repository.js';
import { WorkersService } from '../workers/workers.service.js';
import type {
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
import { projectFact } from './project.entity.js';
import { type MemberRow, ProjectMembersRepository } from './project-members.repository.js';
import { ProjectsRepository } from './projects.repository.js';

/** Members of a project. A project without members is open to every worker; workers own the projects they create and
 *  cannot add a first member elsewhere. Whoever is added gets the role that was asked for, the first one too. */
@Injectable()
export class ProjectMembersService {
  constructor(
    private readonly database: Database,
    private readonly projectRows: ProjectsRepository,
    private readonly memberRows: ProjectMembersRepository,
    private readonly workerRows: WorkersRepository,
    private readonly workers: WorkersService,
    private readonly audit: AuditService,
    private readonly hub: ChangeHub,
  ) {}

  async list({ project_id, limit, cursor }: ListMembersInput, principal: Principal): Promise<ListMembersOutput> {
    await this.projectRows.get(principal, project_id);
    const { rows, ...page } = await this.memberRows.list(project_id, pageLimit(limit), cursor);
    return { project_id, ...page, members: rows.map(toMemberOutput) };
  }

  /** @throws AppError project_not_found, not_a_member, forbidden, worker_not_found, already_member */
  async add(input: AddMemberInput, principal: Principal): Promise<MemberOutput> {
    return this.database.transaction(async (tx) => {
      await this.projectRows.lock(tx, principal, input.project_id); // the first of two is the first for both
      const role = input.role ?? 'member';
      if (!(await this.memberRows.hasMembers(input.project_id))) await this.hub.announce(tx, ALL_MEMBERS);
      if (input.group !== undefined) return this.addGroup(tx, input.project_id, input.group, role, principal);
      const { id, handle, name, type } = await this.chosen(input, principal);
      const joined_at = await this.join(tx, input.project_id, id, role, principal);
      return toMemberOutput({ worker_id: id, handle, name, type, role, joined_at });
    });
  }

  /** @throws AppError project_not_found, not_a_member, forbidden, worker_not_found, last_owner */
  async changeRole({ project_id, worker_id, role }: ChangeRoleInput, principal: Principal): Promise<MemberOutput> {
    return this.database.transaction(async (tx) => {
      await this.projectRows.get(principal, project_id);
      const member = await this.memberRows.get(project_id, worker_id);
      if (member.role === role) return toMemberOutput(member);
      if (member.role === 'owner') await this.requireOtherOwner(tx, project_id, worker_id);
      await this.memberRows.updateRole(tx, project_id, worker_id, role);
      await this.audit.record(
        tx,
        principal,
        projectFact(project_id, 'member_role_changed', {
          before: { worker_id, role: member.role },
          after: { worker_id, role },
        }),
      );
      return toMemberOutput({ ...member, role });
    });
  }

  /** @throws AppError project_not_found, not_a_member, forbidden, worker_not_found, last_owner */
  async remove({ project_id, worker_id }: MemberTarget, principal: Principal): Promise<RemovedMemberOutput> {
    return this.database.transaction(async (tx) => {
      await this.projectRows.get(principal, project_id);
      const { role } = await this.memberRows.get(project_id, worker_id);
      if (role === 'owner') await this.requireOtherOwner(tx, project_id, worker_id);
      await this.memberRows.delete(tx, project_id, worker_id);
      await this.hub.announce(tx, memberKey(worker_id));
      await this.audit.record(
        tx,
        principal,
        projectFact(project_id, 'member_removed', { before: { worker_id, role } }),
      );
      return { removed_worker_id: worker_id };
    });
  }

  /** @throws AppError project_not_found, not_a_member, forbidden, group_not_found */
  async removeGroup({ project_id, group }: GroupTarget, principal: Principal): Promise<RemovedGroupOutput> {
    return this.database.transaction(async (tx) => {
      await this.projectRows.get(principal, project_id);
      const role = await this.memberRows.deleteGroup(tx, project_id, group);
      if (role === null) throw new AppError('group_not_found', { group, project_id });
      await this.hub.announce(tx, ALL_MEMBERS); // who was in it is not known here
      await this.audit.record(tx, principal, projectFact(project_id, 'member_removed', { before: { group, role } }));
      return { removed_group: group };
    });
  }

  /** @throws AppError project_not_found, not_a_member, forbidden, group_not_found */
  async changeGroupRole(input: ChangeGroupRoleInput, principal: Principal): Promise<MemberOutput> {
    const { project_id, group, role } = input;
    return this.database.transaction(async (tx) => {
      await this.projectRows.get(principal, project_id);
      const { role: former, joined_at } = await this.memberRows.lockGroup(tx, project_id, group);
      if (former !== role) {
        await this.memberRows.updateGroupRole(tx, project_id, group, role);
        const details = { before: { group, role: former }, after: { group, role } };
        await this.audit.record(tx, principal, projectFact(project_id, 'member_role_changed', details));
      }
      return toGroupOutput(group, role, joined_at);
    });
  }

  private async addGroup(
    tx: Transaction,
    project_id: string,
    group: string,
    role: ProjectRole,
    principal: Principal,
  ): Promise<MemberOutput> {
    const { joined_at } = await this.memberRows.insertGroup(tx, { project_id, group_name: group, role });
    await this.audit.record(tx, principal, projectFact(project_id, 'member_added', { after: { group, role } }));
    return toGroupOutput(group, role, joined_at);
  }

  async join(
    tx: Transaction,
    project_id: string,
    worker_id: string,
    role: ProjectRole,
    principal: Principal,
  ): Promise<Date> {
    const { joined_at } = await this.memberRows.insert(tx, { project_id, worker_id, role });
    await this.audit.record(tx, principal, projectFact(project_id, 'member_added', { after: { worker_id, role } }));
    return joined_at;
  }

  /** @throws AppError last_owner */
  private async requireOtherOwner(tx: Transaction, project_id: string, worker_id: string): Promise<void> {
    if ((await this.memberRows.countOtherOwners(tx, project_id, worker_id)) === 0)
      throw new AppError('last_owner', { project_id });
  }

  private async chosen({ worker_id, handle, user_id }: AddMemberInput, principal: Principal): Promise<Worker> {
    if (user_id !== undefined) return (await this.workers.meet(user_id, principal)).worker;
    return this.workerRows.get({ worker_id, handle });
  }
}

const toMemberOutput = ({ joined_at, ...member }: MemberRow): MemberOutput => ({
  ...member,
  joined_at: joined_at.toISOString(),
});

const toGroupOutput = (name: string, role: ProjectRole, joined_at: Date): MemberOutput =>
  toMemberOutput({ worker_id: null, handle: null, name, type: 'group', role, joined_at });
