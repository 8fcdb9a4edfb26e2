import { Injectable } from '@nestjs/common';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type Transaction } from '../platform/database/database.js';
import type { CheckState } from '../tasks/checks-state.dto.js';
import { CheckResult, CheckRun } from './check.entity.js';

type NewRun = Omit<CheckRun, 'number' | 'created_at' | 'planned_at' | 'ended_at'>;

/** Runs of checks, and their results in order. */
@Injectable()
export class CheckRunsRepository {
  constructor(private readonly database: Database) {}

  async insert(_tx: Transaction, run: NewRun, results: readonly Partial<CheckResult>[]): Promise<void> {
    await this.database.manager.insert(CheckRun, run);
    await this.database.manager.insert(CheckResult, [...results]);
  }

  async findLatest(attempt_id: string): Promise<CheckRun | null> {
    const [run] = await this.database.query<CheckRun>(
      `SELECT ${columnsOf(CheckRun)} FROM check_runs WHERE attempt_id = $1 ORDER BY number DESC LIMIT 1`,
      [attempt_id],
    );
    return run ?? null;
  }

  /** The one whose results last were of an end, before this one. */
  async findEndedBefore({ attempt_id, number }: CheckRun): Promise<CheckRun | null> {
    const [run] = await this.database.query<CheckRun>(
      `SELECT ${columnsOf(CheckRun)}
       FROM check_runs
       WHERE attempt_id = $1 AND number < $2 AND planned_at IS NOT NULL AND ended_at IS NOT NULL
       ORDER BY number DESC LIMIT 1`,
      [attempt_id, number],
    );
    return run ?? null;
  }

  async findOfJob(job_id: string): Promise<CheckRun | null> {
    const [run] = await this.database.query<CheckRun>(
      `SELECT ${columnsOf(CheckRun)} FROM check_runs WHERE job_id = $1`,
      [job_id],
    );
    return run ?? null;
  }

  listResults(run_id: string): Promise<CheckResult[]> {
    return this.database.query<CheckResult>(
      `SELECT ${columnsOf(CheckResult)} FROM check_results WHERE run_id = $1 ORDER BY position`,
      [run_id],
    );
  }

  async setPlanned(_tx: Transaction, id: string): Promise<void> {
    await this.database.query('UPDATE check_runs SET planned_at = now() WHERE id = $1 AND planned_at IS NULL', [id]);
  }

  /** Its next runner reads again what is to be checked. */
  async setUnplanned(_tx: Transaction, id: string): Promise<void> {
    await this.database.query('UPDATE check_runs SET planned_at = NULL WHERE id = $1', [id]);
  }

  async setEnded(_tx: Transaction, id: string): Promise<void> {
    await this.database.query('UPDATE check_runs SET ended_at = now() WHERE id = $1 AND ended_at IS NULL', [id]);
  }

  /** Nothing where another execution has it by now. */
  async settle(
    _tx: Transaction,
    { run_id, position, execution_id }: CheckResult,
    change: Partial<Omit<CheckResult, 'definition'>>,
  ): Promise<void> {
    const running = { run_id, position, execution_id: execution_id!, state: 'running' as const };
    await this.database.manager.update(CheckResult, running, change);
  }

  /** Of the required checks of an attempt; null where nothing was checked. Whoever lists what has changed sees it. */
  async setState(_tx: Transaction, attempt_id: string, state: CheckState | null): Promise<void> {
    await this.database.query(
      `UPDATE attempts
       SET checks_state = $2, updated_at = now()
       WHERE id = $1 AND checks_state IS DISTINCT FROM $2`,
      [attempt_id, state],
    );
  }

  async update(
    _tx: Transaction,
    { run_id, position }: Pick<CheckResult, 'run_id' | 'position'>,
    change: Partial<Omit<CheckResult, 'definition' | 'run_id' | 'position'>>,
  ): Promise<void> {
    await this.database.manager.update(CheckResult, { run_id, position }, change);
  }
}
