import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { type Guarded, membershipOf, projectScope, requireRole } from '../platform/access/rights.js';
import { type Budgeted, withinBudget } from '../platform/database/answer-budget.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { type Page, offsetPage } from '../platform/fields/paging.js';
import { AppError } from '../platform/errors/app-error.js';
import { type NewSession, Session } from './session.entity.js';

export interface TurnRow {
  entry_index: string;
  turn_id: string;
  prompt: string | null;
  summary: string | null;
  status: string;
  created_at: Date;
  updated_at: Date;
}

const SESSION_COLUMNS =
  's.id, s.attempt_id, s.project_id, s.role, s.executor, s.variant, s.agent_session_id, s.created_at, s.updated_at';
const TURN_COLUMNS = 'entry_index, turn_id, prompt, summary, status, created_at, updated_at';

@Injectable()
export class SessionsRepository {
  constructor(private readonly database: Database) {}

  /** @throws AppError session_not_found, not_a_member */
  async get(principal: Principal, id: string): Promise<Session> {
    const [session] = await this.database.query<Session & Guarded>(
      `SELECT ${SESSION_COLUMNS}, project_role(s.project_id, $3) AS project_role
       FROM sessions s
       JOIN attempts a ON a.id = s.attempt_id
       JOIN live_tasks t ON t.id = a.task_id
       WHERE s.id = $1 AND ($2::uuid[] IS NULL OR s.project_id = ANY($2))`,
      [id, projectScope(principal), membershipOf(principal)],
    );
    const nothing = () => new AppError('session_not_found', { session_id: id });
    if (!session) throw nothing();
    return requireRole(session, principal, nothing);
  }

  /** Of the author. */
  async findLatest(attempt_id: string): Promise<Session | null> {
    const [session] = await this.database.query<Session>(
      `SELECT ${SESSION_COLUMNS}
       FROM sessions s
       WHERE s.attempt_id = $1 AND s.role = 'author'
       ORDER BY s.created_at DESC, s.id
       LIMIT 1`,
      [attempt_id],
    );
    return session ?? null;
  }

  /** Newest first. */
  async listOfAttempt(attempt_id: string, limit: number, cursor?: number): Promise<Page<Session>> {
    const rows = await this.database.query<Session>(
      `SELECT ${SESSION_COLUMNS}
       FROM sessions s
       WHERE s.attempt_id = $1
       ORDER BY s.created_at DESC, s.id
       LIMIT $2 OFFSET $3`,
      [attempt_id, limit + 1, cursor ?? 0],
    );
    return offsetPage(rows, limit, cursor);
  }

  /** For work without a caller. @throws AppError session_not_found */
  async getExecutor(id: string): Promise<string> {
    const [row] = await this.database.query<{ executor: string }>('SELECT executor FROM sessions WHERE id = $1', [id]);
    if (!row) throw new AppError('session_not_found', { session_id: id });
    return row.executor;
  }

  async insert(_tx: Transaction, session: NewSession): Promise<void> {
    await this.database.manager.insert(Session, session);
  }

  async setVariant(_tx: Transaction, id: string, variant: string | null): Promise<void> {
    await this.database.query(
      `UPDATE sessions
       SET variant = $2, updated_at = now()
       WHERE id = $1 AND variant IS DISTINCT FROM $2`,
      [id, variant],
    );
  }

  async setAgentSession(id: string, agent_session_id: string): Promise<void> {
    await this.database.query(
      `UPDATE sessions
       SET agent_session_id = $2, updated_at = now()
       WHERE id = $1 AND agent_session_id IS DISTINCT FROM $2`,
      [id, agent_session_id],
    );
  }

  /** Turns of a session, newest first, `limit + 1` of them or as many as the budget holds. */
  listTurns(session_id: string, limit: number, cursor?: number): Promise<(TurnRow & Budgeted)[]> {
    return this.database.query<TurnRow & Budgeted>(
      withinBudget(
        `SELECT ${TURN_COLUMNS}
         FROM (
           SELECT row_number() OVER (ORDER BY number) - 1 AS entry_index, id AS turn_id,
             prompt, final_message AS summary, status, created_at, updated_at
           FROM executions
           WHERE session_id = $1 AND run_reason IN ('codingagent', 'review')
         ) turns
         WHERE $2::bigint IS NULL OR entry_index < $2
         ORDER BY entry_index DESC
         LIMIT $3`,
        { columns: TURN_COLUMNS, long: ['prompt', 'summary'], order: 'entry_index DESC' },
      ),
      [session_id, cursor ?? null, limit + 1],
    );
  }
}
