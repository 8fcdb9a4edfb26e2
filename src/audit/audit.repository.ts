import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../platform/database/database.js';
import { type Page, toPage } from '../platform/fields/paging.js';

/** One changed fact. */
export interface AuditFact {
  entity_type: 'task' | 'project' | 'worker' | 'execution';
  entity_id: string;
  task_id?: string | null;
  project_id?: string | null;
  action: string;
  details: Record<string, unknown>;
}

export interface AuditRow extends Required<AuditFact> {
  number: string;
  actor_worker_id: string | null;
  actor: string;
  actor_type: 'human' | 'agent' | 'system';
  created_at: Date;
}

export interface AuditActor {
  worker: string | null;
  name: string;
  type: string;
}

const COLUMNS = `number, entity_type, entity_id, task_id, project_id, action, actor_worker_id, actor, actor_type,
  details, created_at`;

@Injectable()
export class AuditRepository {
  constructor(private readonly database: Database) {}

  /** A change and its rows are written together or not at all. */
  async insert(_tx: Transaction, actor: AuditActor, facts: AuditFact[]): Promise<void> {
    if (facts.length === 0) return;
    await this.database.query(
      `INSERT INTO audit_log (
         entity_type, entity_id, task_id, project_id, action, actor_worker_id, actor, actor_type, details, created_at
       )
       SELECT f.entity_type, f.entity_id, f.task_id, f.project_id, f.action,
         w.id, coalesce(w.handle, $3), coalesce(w.type, $4), f.details, now()
       FROM jsonb_to_recordset($1::jsonb) AS f (
         position int, entity_type text, entity_id uuid, task_id uuid, project_id uuid, action text, details jsonb
       )
       LEFT JOIN workers w ON w.id = $2
       ORDER BY f.position`,
      [JSON.stringify(facts.map((fact, position) => ({ position, ...fact }))), actor.worker, actor.name, actor.type],
    );
  }

  async listOfTask(task_id: string, limit: number, cursor?: number): Promise<Page<AuditRow>> {
    return this.list('task_id', task_id, limit, cursor);
  }

  async listOfProject(project_id: string, limit: number, cursor?: number): Promise<Page<AuditRow>> {
    return this.list('project_id', project_id, limit, cursor);
  }

  /** Newest first. */
  private async list(
    column: 'task_id' | 'project_id',
    id: string,
    limit: number,
    cursor?: number,
  ): Promise<Page<AuditRow>> {
    const rows = await this.database.query<AuditRow>(
      `SELECT ${COLUMNS}
       FROM audit_log
       WHERE ${column} = $1 AND ($2::bigint IS NULL OR number < $2)
       ORDER BY number DESC LIMIT $3`,
      [id, cursor ?? null, limit + 1],
    );
    return toPage(rows, limit);
  }
}
