import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { MAX_LIMIT } from '../platform/fields/paging.js';
import type { Worker } from '../workers/worker.entity.js';
import { WorkersRepository } from '../workers/workers.repository.js';
import { WorkersService } from '../workers/workers.service.js';
import type {
  AddMemberInput,
  ListMembersOutput,
  MemberOutput,
  MemberTarget,
  RemovedMemberOutput,
} from './member.dto.js';
import { type MemberRow, ProjectMembersRepository } from './project-members.repository.js';
import type { MemberRole } from './project-member.entity.js';
import { ProjectsRepository } from './projects.repository.js';

/** Who belongs to a project. A project without members is open; from its first member on it is theirs, so that one owns it. */
@Injectable()
export class ProjectMembersService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly members: ProjectMembersRepository,
    private readonly workers: WorkersRepository,
    private readonly acquaintances: WorkersService,
    private readonly audit: AuditService,
  ) {}

  async list(project_id: string, principal: Principal): Promise<ListMembersOutput> {
    await this.projects.get(principal, project_id);
    const rows = await this.members.list(project_id, MAX_LIMIT);
    return { project_id, count: rows.length, members: rows.map(toMemberOutput) };
  }

  /** @throws AppError project_not_found, not_a_member, forbidden, worker_not_found, already_member */
  async add(input: AddMemberInput, principal: Principal): Promise<MemberOutput> {
    return this.database.transaction(async () => {
      await this.requireOwner(input.project_id, principal);
      const { id, handle, name, type } = await this.chosen(input, principal);
      const role = (await this.members.hasMembers(input.project_id)) ? (input.role ?? 'member') : 'owner';
      const joined_at = await this.join(input.project_id, id, role, principal);
      return toMemberOutput({ worker_id: id, handle, name, type, role, joined_at });
    });
  }

  /** @throws AppError project_not_found, not_a_member, forbidden, worker_not_found, last_owner */
  async remove({ project_id, worker_id }: MemberTarget, principal: Principal): Promise<RemovedMemberOutput> {
    return this.database.transaction(async () => {
      await this.requireOwner(project_id, principal);
      const role = await this.members.findRole(project_id, worker_id);
      if (role === null) throw new AppError('worker_not_found', { worker: worker_id });
      if (role === 'owner' && (await this.members.countOtherOwners(project_id, worker_id)) === 0)
        throw new AppError('last_owner', { project_id });
      await this.members.delete(project_id, worker_id);
      await this.audit.record(principal, {
        entity_type: 'project',
        entity_id: project_id,
        project_id,
        action: 'member_removed',
        details: { before: { worker_id, role } },
      });
      return { removed_worker_id: worker_id };
    });
  }

  /** Joins the open transaction. */
  async join(project_id: string, worker_id: string, role: MemberRole, principal: Principal): Promise<Date> {
    const joined_at = new Date();
    await this.members.insert({ project_id, worker_id, role, joined_at });
    await this.audit.record(principal, {
      entity_type: 'project',
      entity_id: project_id,
      project_id,
      action: 'member_added',
      details: { after: { worker_id, role } },
    });
    return joined_at;
  }

  /** Without an acting worker the caller owns the machine. */
  private async requireOwner(project_id: string, principal: Principal): Promise<void> {
    await this.projects.get(principal, project_id);
    if (principal.worker === null || !(await this.members.hasMembers(project_id))) return;
    if ((await this.members.findRole(project_id, principal.worker)) !== 'owner')
      throw new AppError('forbidden', { reason: 'only an owner of the project may change its members' });
  }

  private async chosen({ worker_id, handle, user_id }: AddMemberInput, principal: Principal): Promise<Worker> {
    if (user_id !== undefined) return (await this.acquaintances.meet(user_id, principal)).worker;
    return this.workers.get(worker_id ?? handle!);
  }
}

const toMemberOutput = ({ joined_at, ...member }: MemberRow): MemberOutput => ({
  ...member,
  joined_at: joined_at.toISOString(),
});
