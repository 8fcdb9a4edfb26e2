import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { membershipOf, projectScope } from '../platform/access/rights.js';
import { grants, PROJECT_ROLES, type ProjectRole, type Scope } from '../platform/access/scopes.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { insertRecord } from '../platform/database/record-time.js';
import { AppError } from '../platform/errors/app-error.js';
import { type Page, offsetPage } from '../platform/fields/paging.js';
import { ProjectGroup } from './project-group.entity.js';
import { ProjectMember } from './project-member.entity.js';

export interface MemberRow {
  worker_id: string | null;
  handle: string | null;
  name: string;
  type: 'human' | 'agent' | 'group';
  role: ProjectRole;
  joined_at: Date;
}

@Injectable()
export class ProjectMembersRepository {
  constructor(private readonly database: Database) {}

  /** Groups, then owners, then by joining; the cursor says how many came before. */
  async list(project_id: string, limit: number, cursor?: number): Promise<Page<MemberRow>> {
    const rows = await this.database.query<MemberRow>(
      `SELECT worker_id, handle, name, type, role, joined_at
       FROM (
         SELECT NULL::uuid AS worker_id, NULL AS handle, g.group_name AS name, 'group' AS type, g.role, g.joined_at,
           0 AS rank, 0::bigint AS number
         FROM project_groups g
         WHERE g.project_id = $1
         UNION ALL
         SELECT m.worker_id, w.handle, w.name, w.type, m.role, m.joined_at,
           CASE m.role WHEN 'owner' THEN 1 ELSE 2 END, w.number
         FROM project_members m JOIN workers w ON w.id = m.worker_id
         WHERE m.project_id = $1
       ) members
       ORDER BY rank, joined_at, number, name
       LIMIT $2 OFFSET $3`,
      [project_id, limit + 1, cursor ?? 0],
    );
    return offsetPage(rows, limit, cursor);
  }

  /** @throws AppError worker_not_found where the worker is no member */
  async get(project_id: string, worker_id: string): Promise<MemberRow> {
    const [row] = await this.database.query<MemberRow>(
      `SELECT m.worker_id, w.handle, w.name, w.type, m.role, m.joined_at
       FROM project_members m JOIN workers w ON w.id = m.worker_id
       WHERE m.project_id = $1 AND m.worker_id = $2`,
      [project_id, worker_id],
    );
    if (!row) throw new AppError('worker_not_found', { worker: worker_id });
    return row;
  }

  async findRole(project_id: string, worker_id: string): Promise<ProjectRole | null> {
    const [row] = await this.database.query<{ role: ProjectRole }>(
      'SELECT role FROM project_members WHERE project_id = $1 AND worker_id = $2',
      [project_id, worker_id],
    );
    return row?.role ?? null;
  }

  /** Whether the acting worker is a member with a role that includes the scope, in any project of the caller. */
  async mayAnywhere(principal: Principal, scope: Scope): Promise<boolean> {
    const roles = PROJECT_ROLES.filter((role) => grants(role, scope));
    const rows = await this.database.query(
      `SELECT 1
       FROM projects p
       WHERE p.id IN (SELECT own_projects($1)) AND project_role(p.id, $1) = ANY($2) AND p.deleted_at IS NULL
         AND ($3::uuid[] IS NULL OR p.id = ANY($3))
       LIMIT 1`,
      [membershipOf(principal), roles, projectScope(principal)],
    );
    return rows.length > 0;
  }

  /** Persons, agents or groups. */
  async hasMembers(project_id: string): Promise<boolean> {
    const [row] = await this.database.query<{ has_any: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM project_members WHERE project_id = $1)
         OR EXISTS (SELECT 1 FROM project_groups WHERE project_id = $1) AS has_any`,
      [project_id],
    );
    return row!.has_any;
  }

  insert(_tx: Transaction, member: Omit<ProjectMember, 'joined_at'>): Promise<Pick<ProjectMember, 'joined_at'>> {
    return insertRecord(this.database.manager, ProjectMember, member);
  }

  insertGroup(_tx: Transaction, member: Omit<ProjectGroup, 'joined_at'>): Promise<Pick<ProjectGroup, 'joined_at'>> {
    return insertRecord(this.database.manager, ProjectGroup, member);
  }

  /** @throws AppError group_not_found where the group is no member */
  async lockGroup(_tx: Transaction, project_id: string, group_name: string): Promise<ProjectGroup> {
    const lock = { mode: 'pessimistic_write' as const };
    const group = await this.database.manager.findOne(ProjectGroup, { where: { project_id, group_name }, lock });
    if (group === null) throw new AppError('group_not_found', { group: group_name, project_id });
    return group;
  }

  async updateGroupRole(_tx: Transaction, project_id: string, group_name: string, role: ProjectRole): Promise<void> {
    await this.database.manager.update(ProjectGroup, { project_id, group_name }, { role });
  }

  /** @returns its role; null where the group is no member */
  async deleteGroup(_tx: Transaction, project_id: string, group: string): Promise<ProjectRole | null> {
    const [row] = await this.database.query<{ role: ProjectRole }>(
      'DELETE FROM project_groups WHERE project_id = $1 AND group_name = $2 RETURNING role',
      [project_id, group],
    );
    return row?.role ?? null;
  }

  /** Locks the owners, so that concurrent removals cannot leave a project without one. */
  async countOtherOwners(_tx: Transaction, project_id: string, worker_id: string): Promise<number> {
    const rows = await this.database.query<{ worker_id: string }>(
      "SELECT worker_id FROM project_members WHERE project_id = $1 AND role = 'owner' FOR UPDATE",
      [project_id],
    );
    return rows.filter((row) => row.worker_id !== worker_id).length;
  }

  async updateRole(_tx: Transaction, project_id: string, worker_id: string, role: ProjectRole): Promise<void> {
    await this.database.manager.update(ProjectMember, { project_id, worker_id }, { role });
  }

  /** @returns false where the worker is no member */
  async delete(_tx: Transaction, project_id: string, worker_id: string): Promise<boolean> {
    return (
      (await this.database.affected('DELETE FROM project_members WHERE project_id = $1 AND worker_id = $2', [
        project_id,
        worker_id,
      ])) > 0
    );
  }
}
