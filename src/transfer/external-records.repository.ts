import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import type { RecordKind } from './line-fields.js';

/** Kinds that lie in a project. */
export type InnerKind = Exclude<RecordKind, 'project'>;

/** How a record is called where it comes from. */
export interface Origin {
  system: string;
  external_id: string;
}

export interface FoundRecord {
  id: string;
  project_id: string;
}

export interface Claim extends Origin, FoundRecord {}

/** The system of records that a Taskyard server has made, under their own ids. */
export const OWN_SYSTEM = 'taskyard';

/** Each with `id` and `project_id`. */
const tables: Record<InnerKind, string> = {
  repository: 'SELECT id, project_id FROM repos',
  task: 'SELECT id, project_id FROM tasks',
  thought: 'SELECT r.id, t.project_id FROM thought_records r JOIN tasks t ON t.id = r.task_id',
  attempt: 'SELECT id, project_id FROM attempts',
  session: 'SELECT id, project_id FROM sessions',
  turn: 'SELECT id, project_id FROM executions',
  comment: 'SELECT id, project_id FROM review_comments',
};
const UUID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

/** Which records were imported, and from where. The key of the table decides that none is imported twice. */
@Injectable()
export class ExternalRecordsRepository {
  constructor(private readonly database: Database) {}

  /** Records of the projects that were imported under these names before, or made here under these ids; at the position
   *  of their name. */
  async find(
    kind: InnerKind,
    projects: readonly string[],
    origins: readonly Origin[],
  ): Promise<(FoundRecord & { position: number })[]> {
    if (origins.length === 0) return [];
    return this.database.query(
      `SELECT r.id, r.project_id, (g.position - 1)::int AS position
       FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS g (system, external_id, position)
       CROSS JOIN LATERAL (
         SELECT e.record_id AS id, e.project_id
         FROM external_records e
         WHERE e.project_id = ANY($1) AND e.kind = $4 AND e.system = g.system AND e.external_id = g.external_id
         UNION
         SELECT o.id, o.project_id
         FROM (${tables[kind]}) o
         WHERE o.id = CASE WHEN g.system = '${OWN_SYSTEM}' AND g.external_id ~ '${UUID}' THEN g.external_id::uuid END
           AND o.project_id = ANY($1)
       ) r
       ORDER BY g.position`,
      [projects, origins.map(({ system }) => system), origins.map(({ external_id }) => external_id), kind],
    );
  }

  /** @throws AppError import_in_progress where another import has just brought one of them */
  async claim(_tx: Transaction, kind: InnerKind, claims: readonly Claim[]): Promise<void> {
    if (claims.length === 0) return;
    const claimed = await this.database.affected(
      `INSERT INTO external_records (project_id, kind, system, external_id, record_id)
       SELECT g.project_id, $5, g.system, g.external_id, g.record_id
       FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[]) AS g (project_id, system, external_id, record_id)
       ON CONFLICT ON CONSTRAINT external_records_pkey DO NOTHING`,
      [
        claims.map(({ project_id }) => project_id),
        claims.map(({ system }) => system),
        claims.map(({ external_id }) => external_id),
        claims.map(({ id }) => id),
        kind,
      ],
    );
    if (claimed < claims.length) throw new AppError('import_in_progress');
  }

  /** The live project that was imported under this name, or that this server made under this id. */
  async findProject({ system, external_id }: Origin): Promise<string | null> {
    const [project] = await this.database.query<{ id: string }>(
      `SELECT id
       FROM projects
       WHERE deleted_at IS NULL AND (
         (origin_system = $1 AND origin_id = $2)
         OR id = CASE WHEN $1 = '${OWN_SYSTEM}' AND $2 ~ '${UUID}' THEN $2::uuid END
       )`,
      [system, external_id],
    );
    return project?.id ?? null;
  }

  /** @param times as given; null leaves them as they are */
  async nameProject(
    _tx: Transaction,
    id: string,
    { system, external_id }: Origin,
    times: { created_at: string | null; updated_at: string | null },
  ): Promise<void> {
    await this.database.query(
      `UPDATE projects
       SET origin_system = $2, origin_id = $3, created_at = coalesce($4, created_at),
         updated_at = coalesce($5, updated_at)
       WHERE id = $1`,
      [id, system, external_id, times.created_at, times.updated_at],
    );
  }

  /** Until the end of the transaction. @returns whether nobody else holds it */
  async lock(_tx: Transaction, name: string): Promise<boolean> {
    const [row] = await this.database.query<{ locked: boolean }>(
      "SELECT pg_try_advisory_xact_lock(hashtextextended('import ' || $1, 0)) AS locked",
      [name],
    );
    return row!.locked;
  }
}
