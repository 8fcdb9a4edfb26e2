import { Injectable } from '@nestjs/common';
import { chargedAs, type Principal, writerIdOf } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import type { InnerKind } from './external-records.repository.js';
import * as sql from './insert-records.sql.js';

/** A row as its statement reads it. */
export type ImportedRow = { id: string; project_id: string } & Record<string, unknown>;
export interface ChainEnd {
  task_id: string;
  position: string;
  hash: string;
}

/** Kinds of which a transaction inserts many rows at once; repositories are registered one by one. */
export type BatchKind = Exclude<InnerKind, 'repository'>;

/** Writes imported records, hundreds in a statement. */
@Injectable()
export class ImportedRowsRepository {
  constructor(private readonly database: Database) {}

  /** @returns ids of the rows that had their place: history goes only to imported attempts */
  async insert(_tx: Transaction, kind: BatchKind, rows: ImportedRow[], principal: Principal): Promise<Set<string>> {
    if (rows.length === 0) return new Set();
    const [text, values] = statementOf(kind, principal);
    const placed = rows.map((row, position) => ({ position, ...row }));
    const added = await this.database.query<{ id: string }>(text, [JSON.stringify(placed), ...values]);
    return new Set(added.map(({ id }) => id));
  }

  /** Locks the tasks, so that nobody else lengthens their chains. */
  async listChainEnds(_tx: Transaction, task_ids: readonly string[]): Promise<ChainEnd[]> {
    await this.database.query('SELECT 1 FROM tasks WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE', [task_ids]);
    return this.database.query<ChainEnd>(sql.CHAIN_ENDS, [task_ids]);
  }

  /** For texts that no trigger counts. */
  async count(_tx: Transaction, project_id: string, principal: Principal, bytes: number): Promise<void> {
    await this.database.query('SELECT add_stored_bytes($1, $2, $3)', [project_id, chargedAs(principal), bytes]);
  }
}

function statementOf(kind: BatchKind, principal: Principal): [string, unknown[]] {
  const { worker, actor, caller } = principal;
  switch (kind) {
    case 'task':
      return [sql.INSERT_TASKS, [worker, actor.name, actor.type, caller, chargedAs(principal)]];
    case 'thought':
      return [sql.INSERT_THOUGHTS, []];
    case 'attempt':
      return [sql.INSERT_ATTEMPTS, []];
    case 'session':
      return [sql.INSERT_SESSIONS, []];
    case 'turn':
      return [sql.INSERT_TURNS, [chargedAs(principal)]];
    case 'comment':
      return [sql.INSERT_COMMENTS, [writerIdOf(principal), chargedAs(principal)]];
  }
}
