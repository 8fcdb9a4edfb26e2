import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { comparableRemote } from '../git/remote-link.js';
import type { Principal } from '../platform/access/principal.js';
import { type Guarded, membershipOf, projectScope, requireRole } from '../platform/access/rights.js';
import type { ProjectRole } from '../platform/access/scopes.js';
import { withinBudget } from '../platform/database/answer-budget.js';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { NOW } from '../platform/database/record-time.js';
import { wordQuery } from '../platform/database/word-search.js';
import { AppError } from '../platform/errors/app-error.js';
import { UUID_PATTERN } from '../platform/fields/formats.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import type { FindProjectsInput } from './project.dto.js';
import { type NetworkSettings, type NewProject, Project } from './project.entity.js';

/** A project as one of those of a worker. */
export type OwnProject = Pick<Project, 'id' | 'name' | 'slug' | 'description'> & {
  task_count: number;
  member_count: number;
};
/** Characters of a description in a list that has no pages. */
const SHORT_DESCRIPTION = 2_000;

@Injectable()
export class ProjectsRepository {
  constructor(private readonly database: Database) {}

  async list(
    principal: Principal,
    limit: number,
    { cursor, query, repo_path, repo_url }: Omit<FindProjectsInput, 'limit'>,
  ): Promise<Page<Project>> {
    const rows = await this.database.query<Project>(
      withinBudget(
        `SELECT ${columnsOf(Project)}
         FROM projects
         WHERE deleted_at IS NULL AND ($1::uuid[] IS NULL OR id = ANY($1)) AND ($2::bigint IS NULL OR number < $2)
           AND ($5::tsquery IS NULL OR words_of(concat_ws(' ', name, slug, description)) @@ $5)
           AND project_role(id, $4) IS NOT NULL
           AND ($6::text IS NULL OR EXISTS (SELECT 1 FROM repos r WHERE r.project_id = projects.id AND r.path = $6))
           AND ($7::uuid[] IS NULL OR id = ANY($7))
         ORDER BY number DESC LIMIT $3`,
        { columns: columnsOf(Project), long: ['description'], order: 'number DESC' },
      ),
      [
        projectScope(principal),
        cursor ?? null,
        limit + 1,
        membershipOf(principal),
        query === undefined ? null : wordQuery(query),
        repo_path ?? null,
        repo_url === undefined ? null : await this.idsOfRemote(repo_url),
      ],
    );
    return toPage(rows, limit);
  }

  /** Of all projects, whoever may see them, that hold a clone of a remote. */
  private async idsOfRemote(url: string): Promise<string[]> {
    const remote = comparableRemote(url);
    const rows = await this.database.query<{ project_id: string; url: string }>(
      'SELECT DISTINCT project_id, url FROM repos WHERE strpos(lower(url), lower($1)) > 0',
      [path.posix.basename(remote)],
    );
    return rows.flatMap((repo) => (comparableRemote(repo.url) === remote ? [repo.project_id] : []));
  }

  /** Projects that the acting worker reaches, newest first, each with the beginning of its description. */
  async listOwn(principal: Principal, limit: number): Promise<OwnProject[]> {
    return this.database.query(
      withinBudget(
        `SELECT p.id, p.number, p.name, p.slug, left(p.description, ${SHORT_DESCRIPTION}) AS description,
           (
             SELECT coalesce(sum(c.tasks), 0)::int FROM task_counts c WHERE c.board = p.id AND NOT c.is_deleted
           ) AS task_count,
           (SELECT count(*)::int FROM project_members c WHERE c.project_id = p.id) AS member_count
         FROM projects p
         WHERE project_role(p.id, $1) IS NOT NULL AND p.deleted_at IS NULL AND ($3::uuid[] IS NULL OR p.id = ANY($3))
         ORDER BY p.number DESC LIMIT $2`,
        {
          columns: 'id, number, name, slug, description, task_count, member_count',
          long: ['description'],
          order: 'number DESC',
        },
      ),
      [membershipOf(principal), limit, projectScope(principal)],
    );
  }

  /** By id, else by slug. */
  async findByReference(reference: string): Promise<Project | null> {
    const id = UUID_PATTERN.test(reference) ? reference : null;
    const [project] = await this.database.query<Project>(
      `SELECT ${columnsOf(Project)}
       FROM projects
       WHERE deleted_at IS NULL AND (id = $1 OR slug = $2)
       ORDER BY (id = $1) DESC NULLS LAST LIMIT 1`,
      [id, reference],
    );
    return project ?? null;
  }

  /** @throws AppError project_not_found, not_a_member */
  async get(principal: Principal, id: string): Promise<Project & { project_role: ProjectRole }> {
    const [project] = await this.database.query<Project & Guarded>(
      `SELECT ${columnsOf(Project)}, project_role(id, $3) AS project_role
       FROM projects
       WHERE id = $1 AND deleted_at IS NULL AND ($2::uuid[] IS NULL OR id = ANY($2))`,
      [id, projectScope(principal), membershipOf(principal)],
    );
    const nothing = () => new AppError('project_not_found', { project_id: id });
    if (!project) throw nothing();
    return requireRole({ ...project, project_id: id }, principal, nothing);
  }

  /** What runs of the project reach. @throws AppError project_not_found */
  async networkOf(id: string): Promise<NetworkSettings> {
    const [settings] = await this.database.query<NetworkSettings>(
      'SELECT network, allowed_hosts, presets FROM projects WHERE id = $1',
      [id],
    );
    if (!settings) throw new AppError('project_not_found', { project_id: id });
    return settings;
  }

  /** The row, locked until the end of the transaction. @throws AppError project_not_found, not_a_member */
  async lock(_tx: Transaction, principal: Principal, id: string): Promise<Project> {
    await this.database.query('SELECT 1 FROM projects WHERE id = $1 FOR NO KEY UPDATE', [id]);
    return this.get(principal, id);
  }

  async insert(_tx: Transaction, project: NewProject): Promise<void> {
    await this.database.manager.insert(Project, project);
  }

  async update(_tx: Transaction, id: string, change: Partial<Project>): Promise<void> {
    await this.database.manager.update(Project, { id }, { ...change, updated_at: NOW });
  }

  /** Softly: the row stays for the audit and the records that hang on it. */
  async delete(_tx: Transaction, id: string): Promise<void> {
    await this.database.manager.update(Project, { id }, { deleted_at: NOW, updated_at: NOW });
  }

  /** The base, or the base with the ending if it is taken. Concurrent calls for the same base wait until the
   *  transaction ends. */
  async freeSlug(_tx: Transaction, base: string, ending: string): Promise<string> {
    await this.database.query("SELECT pg_advisory_xact_lock(hashtextextended('slug ' || $1, 0))", [base]);
    const taken = await this.database.query('SELECT 1 FROM projects WHERE slug = $1 AND deleted_at IS NULL', [base]);
    return taken.length ? `${base}-${ending}` : base;
  }
}
