import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../platform/database/database.js';
import type { RepositorySnapshot } from '../workspaces/saved-work.js';

/** Who saves: an execution that runs under its lease. */
export interface Saver {
  attempt_id: string;
  execution_id: string;
  job_id: string;
  runner_id: string;
}

export interface SavedSnapshot extends RepositorySnapshot {
  saved_at: Date;
}

/** Fenced like every write of a run: whoever has lost the lease saves nothing any more. What was saved before stays
 *  where the new one is too large. */
const STORE = `
  INSERT INTO workspace_snapshots AS s (
    attempt_id, repo_name, base_commit, head, work, bundle, bytes, is_too_large, fingerprint, saved_by, saved_at,
    stored_by
  )
  SELECT e.attempt_id, $4, $5, $6, $7, $8::bytea, coalesce(length($8::bytea), 0), $9::boolean, $10, $11, now(),
    e.started_by
  FROM executions e
  WHERE e.id = $1 AND e.attempt_id = $2 AND e.job_id = $3 AND e.status = 'running'
  ON CONFLICT (attempt_id, repo_name) DO UPDATE
  SET base_commit = CASE WHEN excluded.is_too_large THEN s.base_commit ELSE excluded.base_commit END,
    head = CASE WHEN excluded.is_too_large THEN s.head ELSE excluded.head END,
    work = CASE WHEN excluded.is_too_large THEN s.work ELSE excluded.work END,
    bundle = CASE WHEN excluded.is_too_large THEN s.bundle ELSE excluded.bundle END,
    bytes = CASE WHEN excluded.is_too_large THEN s.bytes ELSE excluded.bytes END,
    stored_by = CASE WHEN excluded.is_too_large THEN s.stored_by ELSE excluded.stored_by END,
    saved_at = CASE WHEN excluded.is_too_large THEN s.saved_at ELSE excluded.saved_at END,
    is_too_large = excluded.is_too_large, fingerprint = excluded.fingerprint, saved_by = excluded.saved_by`;

const LIST = `
  SELECT repo_name, base_commit, head, work, bundle, is_too_large, fingerprint, saved_at
  FROM workspace_snapshots
  WHERE attempt_id = $1
  ORDER BY repo_name`;

const FINGERPRINTS = `
  SELECT repo_name, fingerprint
  FROM workspace_snapshots
  WHERE attempt_id = $1`;

/** The work of attempts, as it was last saved. */
@Injectable()
export class WorkspaceSnapshotsRepository {
  constructor(private readonly database: Database) {}

  async store(_tx: Transaction, saver: Saver, snapshots: readonly RepositorySnapshot[]): Promise<void> {
    const { execution_id, attempt_id, job_id, runner_id } = saver;
    for (const { repo_name, base_commit, head, work, bundle, is_too_large, fingerprint } of snapshots) {
      const saved = [repo_name, base_commit, head, work, bundle, is_too_large, fingerprint, runner_id];
      await this.database.query(STORE, [execution_id, attempt_id, job_id, ...saved]);
    }
  }

  list(attempt_id: string): Promise<SavedSnapshot[]> {
    return this.database.query<SavedSnapshot>(LIST, [attempt_id]);
  }

  /** Of what is saved, by the name of the repository. */
  async fingerprints(attempt_id: string): Promise<Record<string, string>> {
    const rows = await this.database.query<{ repo_name: string; fingerprint: string }>(FINGERPRINTS, [attempt_id]);
    return Object.fromEntries(rows.map(({ repo_name, fingerprint }) => [repo_name, fingerprint]));
  }

  async deleteOfAttempt(attempt_id: string): Promise<void> {
    await this.database.query('DELETE FROM workspace_snapshots WHERE attempt_id = $1', [attempt_id]);
  }
}
