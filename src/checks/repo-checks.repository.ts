import { Injectable } from '@nestjs/common';
import { columnsOf } from '../platform/database/columns.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { type CheckDefinition, RepoChecks } from './check.entity.js';

@Injectable()
export class RepoChecksRepository {
  constructor(private readonly database: Database) {}

  /** Callers have found the repository in a project of theirs. */
  async find(repo_id: string): Promise<RepoChecks> {
    const [row] = await this.database.query<RepoChecks>(
      `SELECT ${columnsOf(RepoChecks)} FROM repo_checks WHERE repo_id = $1`,
      [repo_id],
    );
    return row ?? { repo_id, version: 0, checks: [] };
  }

  /** Of the repositories of an attempt, in its order; only those that have any. */
  listOfAttempt(attempt_id: string): Promise<RepoChecks[]> {
    return this.database.query<RepoChecks>(
      `SELECT ${columnsOf(RepoChecks, 'c')}
       FROM attempt_repos r
       JOIN repo_checks c ON c.repo_id = r.repo_id AND c.checks <> '[]'
       WHERE r.attempt_id = $1
       ORDER BY r.position`,
      [attempt_id],
    );
  }

  /** Whoever writes has locked the repository. @returns the new version */
  async set(_tx: Transaction, repo_id: string, checks: readonly CheckDefinition[]): Promise<number> {
    const [row] = await this.database.query<Pick<RepoChecks, 'version'>>(
      `INSERT INTO repo_checks AS c (repo_id, version, checks) VALUES ($1, 1, $2)
       ON CONFLICT ON CONSTRAINT repo_checks_pkey
       DO UPDATE SET version = c.version + 1, checks = excluded.checks
       RETURNING version`,
      [repo_id, JSON.stringify(checks)],
    );
    return row!.version;
  }

  /** Results of earlier versions tell nothing any more. */
  async outdate(_tx: Transaction, repo_id: string): Promise<void> {
    await this.database.query(
      `UPDATE attempts
       SET checks_state = 'stale', updated_at = now()
       WHERE checks_state IN ('passed', 'failed', 'errored', 'skipped')
         AND id IN (SELECT r.attempt_id FROM attempt_repos r WHERE r.repo_id = $1)`,
      [repo_id],
    );
  }

  /** Whether one of the projects checks anything; null for all projects. */
  async anyIn(project_ids: readonly string[] | null, membership: string | null): Promise<boolean> {
    const [row] = await this.database.query<{ found: boolean }>(
      `SELECT EXISTS (
         SELECT FROM repo_checks c
         JOIN repos r ON r.id = c.repo_id
         JOIN projects p ON p.id = r.project_id AND p.deleted_at IS NULL AND p.checks <> 'off'
         WHERE c.checks <> '[]' AND ($1::uuid[] IS NULL OR p.id = ANY($1)) AND project_role(p.id, $2) IS NOT NULL
       ) AS found`,
      [project_ids, membership],
    );
    return row?.found ?? false;
  }
}
