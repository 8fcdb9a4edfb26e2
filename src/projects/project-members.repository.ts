import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { projectScope } from '../platform/access/rights.js';
import { grants, PROJECT_ROLES, type ProjectRole, type Scope } from '../platform/access/scopes.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { insertRecord } from '../platform/database/record-time.js';
import { AppError } from '../platform/errors/app-error.js';
import { type Page, offsetPage } from '../platform/fields/paging.js';
import { ProjectMember } from './project-member.entity.js';

export interface MemberRow {
  worker_id: string;
  handle: string;
  name: string;
  type: 'human' | 'agent';
  role: ProjectRole;
  joined_at: Date;
}

@Injectable()
export class ProjectMembersRepository {
  constructor(private readonly database: Database) {}

  /** Owners first, then by joining; the cursor says how many came before. */
  async list(project_id: string, limit: number, cursor?: number): Promise<Page<MemberRow>> {
    const rows = await this.database.query<MemberRow>(
      `SELECT m.worker_id, w.handle, w.name, w.type, m.role, m.joined_at
       FROM project_members m JOIN workers w ON w.id = m.worker_id
       WHERE m.project_id = $1
       ORDER BY (m.role = 'owner') DESC, m.joined_at, w.number
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
       FROM project_members m JOIN projects p ON p.id = m.project_id
       WHERE m.worker_id = $1 AND m.role = ANY($2) AND p.deleted_at IS NULL
         AND ($3::uuid[] IS NULL OR m.project_id = ANY($3))
       LIMIT 1`,
      [principal.worker, roles, projectScope(principal)],
    );
    return rows.length > 0;
  }

  async hasMembers(project_id: string): Promise<boolean> {
    return (
      (await this.database.query('SELECT 1 FROM project_members WHERE project_id = $1 LIMIT 1', [project_id])).length >
      0
    );
  }

  insert(_tx: Transaction, member: Omit<ProjectMember, 'joined_at'>): Promise<Pick<ProjectMember, 'joined_at'>> {
    return insertRecord(this.database.manager, ProjectMember, member);
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
