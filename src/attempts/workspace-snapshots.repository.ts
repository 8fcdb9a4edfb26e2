import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../platform/database/database.js';
import type { RepositorySnapshot } from '../workspaces/saved-work.js';

/** Who saves: an execution under its lease, or, without one, the home of an attempt that rests, under its lock. */
export interface Saver {
  attempt_id: string;
  execution_id: string | null;
  job_id: string | null;
  runner_id: string;
}

/** What is saved of one repository, without the work itself. */
export type KnownSnapshot = Pick<RepositorySnapshot, 'repo_name' | 'fingerprint' | 'remote' | 'remote_failure'>;

export interface SavedSnapshot extends RepositorySnapshot {
  saved_at: Date;
}

/** Fenced like every write of a run: without the lease nothing is saved. If the new snapshot is too large, the old one
 *  stays. */
const STORE = `
  INSERT INTO workspace_snapshots AS s (
    attempt_id, repo_name, base_commit, head, work, bundle, bytes, is_too_large, fingerprint, saved_by, remote,
    remote_failure, saved_at, stored_by
  )
  SELECT e.attempt_id, $4, $5, $6, $7, $8::bytea, coalesce(length($8::bytea), 0), $9::boolean, $10, $11, $12, $13,
    now(), e.started_by
  FROM executions e
  WHERE e.attempt_id = $2 AND CASE
      WHEN $1::uuid IS NULL THEN e.status NOT IN ('queued', 'running')
        AND e.number = (SELECT max(number) FROM executions WHERE attempt_id = $2)
      ELSE e.id = $1 AND e.job_id = $3 AND e.status = 'running'
    END
  ON CONFLICT (attempt_id, repo_name) DO UPDATE
  SET base_commit = CASE WHEN excluded.is_too_large THEN s.base_commit ELSE excluded.base_commit END,
    head = CASE WHEN excluded.is_too_large THEN s.head ELSE excluded.head END,
    work = CASE WHEN excluded.is_too_large THEN s.work ELSE excluded.work END,
    bundle = CASE WHEN excluded.is_too_large THEN s.bundle ELSE excluded.bundle END,
    bytes = CASE WHEN excluded.is_too_large THEN s.bytes ELSE excluded.bytes END,
    remote = CASE WHEN excluded.is_too_large THEN s.remote ELSE excluded.remote END,
    stored_by = CASE WHEN excluded.is_too_large THEN s.stored_by ELSE excluded.stored_by END,
    saved_at = CASE WHEN excluded.is_too_large THEN s.saved_at ELSE excluded.saved_at END,
    is_too_large = excluded.is_too_large, fingerprint = excluded.fingerprint, saved_by = excluded.saved_by,
    remote_failure = excluded.remote_failure`;

const LIST = `
  SELECT repo_name, base_commit, head, work, bundle, is_too_large, fingerprint, remote, remote_failure, saved_at
  FROM workspace_snapshots
  WHERE attempt_id = $1
  ORDER BY repo_name`;

const KNOWN = `
  SELECT repo_name, fingerprint, remote, remote_failure
  FROM workspace_snapshots
  WHERE attempt_id = $1`;

/** The work of attempts, as it was last saved. */
@Injectable()
export class WorkspaceSnapshotsRepository {
  constructor(private readonly database: Database) {}

  /** @returns false if the lease is lost and nothing was written */
  async store(_tx: Transaction, saver: Saver, snapshots: readonly RepositorySnapshot[]): Promise<boolean> {
    const { execution_id, attempt_id, job_id, runner_id } = saver;
    let stored = 0;
    for (const snapshot of snapshots) {
      const { repo_name, base_commit, head, work, bundle, is_too_large, fingerprint } = snapshot;
      const saved = [repo_name, base_commit, head, work, bundle, is_too_large, fingerprint, runner_id];
      const where = [snapshot.remote, snapshot.remote_failure];
      stored += await this.database.affected(STORE, [execution_id, attempt_id, job_id, ...saved, ...where]);
    }
    return stored === snapshots.length;
  }

  list(attempt_id: string): Promise<SavedSnapshot[]> {
    return this.database.query<SavedSnapshot>(LIST, [attempt_id]);
  }

  known(attempt_id: string): Promise<KnownSnapshot[]> {
    return this.database.query<KnownSnapshot>(KNOWN, [attempt_id]);
  }

  async deleteOfAttempt(attempt_id: string): Promise<void> {
    await this.database.query('DELETE FROM workspace_snapshots WHERE attempt_id = $1', [attempt_id]);
  }
}
