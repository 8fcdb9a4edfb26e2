import { Injectable } from '@nestjs/common';
import { membershipOf, projectScope } from '../platform/access/rights.js';
import type { Principal } from '../platform/access/principal.js';
import { withinBudget } from '../platform/database/answer-budget.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import { SETTLED_UPTO, settledNumbers } from '../platform/database/settled-numbers.js';

/** One changed fact. */
export interface AuditFact {
  entity_type: 'task' | 'project' | 'worker' | 'execution' | 'delivery' | 'token' | 'caller';
  /** Null where a caller is no record. */
  entity_id: string | null;
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
  caller: string | null;
  created_at: Date;
}

export interface AuditActor {
  worker: string | null;
  name: string;
  type: string;
  /** Who acts in their name, if somebody else. */
  caller: string | null;
}

export interface AuditFilter {
  project_id?: string;
  action?: string;
  actor?: string;
  from?: string;
  to?: string;
  cursor?: number;
}

const COLUMNS = `number, entity_type, entity_id, task_id, project_id, action, actor_worker_id, actor, actor_type,
  caller, details, created_at`;
const BUDGETED = { columns: COLUMNS, long: [], json: 'details', order: 'number DESC' };

@Injectable()
export class AuditRepository {
  constructor(private readonly database: Database) {}

  /** A change and its rows are written together or not at all. */
  async insert(_tx: Transaction, actor: AuditActor, facts: AuditFact[]): Promise<void> {
    if (facts.length === 0) return;
    await this.database.query(
      `INSERT INTO audit_log (
         entity_type, entity_id, task_id, project_id, action, actor_worker_id, actor, actor_type, caller, details,
         created_at
       )
       SELECT f.entity_type, f.entity_id, f.task_id, f.project_id, f.action,
         w.id, coalesce(w.handle, $3), coalesce(w.type, $4), $5, f.details, now()
       FROM jsonb_to_recordset($1::jsonb) AS f (
         position int, entity_type text, entity_id uuid, task_id uuid, project_id uuid, action text, details jsonb
       )
       LEFT JOIN workers w ON w.id = $2
       ORDER BY f.position`,
      [
        JSON.stringify(facts.map((fact, position) => ({ position, ...fact }))),
        actor.worker,
        actor.name,
        actor.type,
        actor.caller,
      ],
    );
  }

  /** Deletes at most so many of the oldest rows, through a function of the tables' owner, because the server may not
   *  delete them.
   *  @param days at least 30 @returns how many were deleted */
  async prune(days: number, most: number): Promise<number> {
    const [row] = await this.database.query<{ pruned: string }>('SELECT prune_audit($1, $2) AS pruned', [days, most]);
    return Number(row?.pruned ?? 0);
  }

  async listOfTask(task_id: string, limit: number, cursor?: number): Promise<Page<AuditRow>> {
    return this.list('task_id', task_id, limit, cursor);
  }

  async listOfProject(project_id: string, limit: number, cursor?: number): Promise<Page<AuditRow>> {
    return this.list('project_id', project_id, limit, cursor);
  }

  /** Everything the caller may see, newest first; facts without a project only for callers of all projects. */
  async listAll(
    principal: Principal,
    { project_id, action, actor, from, to, cursor }: AuditFilter,
    limit: number,
  ): Promise<Page<AuditRow>> {
    const rows = await this.database.query<AuditRow>(
      withinBudget(
        `SELECT ${COLUMNS}
         FROM audit_log
         WHERE ($1::uuid[] IS NULL OR project_id = ANY($1)) AND project_role(project_id, $2) IS NOT NULL
           AND ($3::uuid IS NULL OR project_id = $3) AND ($4::text IS NULL OR action = $4)
           AND ($5::text IS NULL OR actor = $5) AND ($6::timestamptz IS NULL OR created_at >= $6)
           AND ($7::timestamptz IS NULL OR created_at < $7) AND ($8::bigint IS NULL OR number < $8)
         ORDER BY number DESC LIMIT $9`,
        BUDGETED,
      ),
      [projectScope(principal), membershipOf(principal), project_id, action, actor, from, to, cursor, limit + 1],
    );
    return toPage(rows, limit);
  }

  /** Oldest first, within the budget of an answer. */
  listAfter(principal: Principal, after: number, upto: number, limit: number): Promise<AuditRow[]> {
    return this.database.query<AuditRow>(
      withinBudget(
        `SELECT ${COLUMNS}
         FROM audit_log
         WHERE ($1::uuid[] IS NULL OR project_id = ANY($1)) AND project_role(project_id, $2) IS NOT NULL
           AND number > $3 AND number <= $4
         ORDER BY number LIMIT $5`,
        { ...BUDGETED, order: 'number' },
      ),
      [projectScope(principal), membershipOf(principal), after, upto, limit],
    );
  }

  /** Number up to which no row can appear any more. */
  async findSettled(): Promise<number> {
    const [row] = await this.database.query<{ upto: string }>(`SELECT ${SETTLED_UPTO}${settledNumbers('audit_log')}`);
    return Number(row!.upto);
  }

  /** Newest first. */
  private async list(
    column: 'task_id' | 'project_id',
    id: string,
    limit: number,
    cursor?: number,
  ): Promise<Page<AuditRow>> {
    const rows = await this.database.query<AuditRow>(
      withinBudget(
        `SELECT ${COLUMNS}
         FROM audit_log
         WHERE ${column} = $1 AND ($2::bigint IS NULL OR number < $2)
         ORDER BY number DESC LIMIT $3`,
        BUDGETED,
      ),
      [id, cursor ?? null, limit + 1],
    );
    return toPage(rows, limit);
  }
}
