import { Logger } from '@nestjs/common';
import type pg from 'pg';
import type { RepositorySnapshot } from '../workspaces/saved-work.js';
import type { Workspace, WorkspaceHost } from '../workspaces/workspace-host.js';
import { type FoundPart, contentOf, jsonPart, type Part } from './archive.js';
import type { LeftOut } from './manifest.js';

/** A machine whose worktrees can be read. */
export interface Worktrees {
  /** The runner that is their home. */
  home: string;
  host: Pick<WorkspaceHost, 'snapshot'>;
  /** Bytes of the work of one repository. */
  maxBytes: number;
}

/** What the database knows of an attempt whose worktrees are there. */
export type KnownAttempt = Workspace & { known: Record<string, string> };

/** One repository of an attempt, as an archive has it; its bundle lies beside it. */
export type StoredWork = Omit<RepositorySnapshot, 'bundle'> & { attempt_id: string; saved_by: string };

const AT_HOME = `
  SELECT a.id AS attempt_id, a.branch, a.runner_id AS home,
    (SELECT json_agg(json_build_object('repo_name', r.repo_name, 'repo_path', r.repo_path,
        'target_branch', r.target_branch, 'base_commit', r.base_commit) ORDER BY r.position)
      FROM attempt_repos r WHERE r.attempt_id = a.id) AS repos,
    (SELECT coalesce(json_object_agg(s.repo_name, s.fingerprint), '{}')
      FROM workspace_snapshots s WHERE s.attempt_id = a.id) AS known
  FROM attempts a
  WHERE a.runner_id = $1 AND a.workspace_state = 'ready'
  ORDER BY a.number`;

/** Attempts whose worktrees this machine has. */
export async function attemptsAt(client: pg.Client, home: string): Promise<KnownAttempt[]> {
  return (await client.query<KnownAttempt>(AT_HOME, [home])).rows;
}

/** The work of attempts as it lies in their worktrees, where the database has not saved the same. A worktree that
 *  cannot be read is left out, and named.
 *  @returns how many there are, and what was left out */
export async function* readWorks(
  { home, host, maxBytes }: Worktrees,
  attempts: readonly KnownAttempt[],
): AsyncGenerator<Part, { works: number; left_out: LeftOut[] }> {
  const left_out: LeftOut[] = [];
  let works = 0;
  for (const { known, ...workspace } of attempts) {
    const { attempt_id } = workspace;
    const leaveOut = (repo_name: string | null, reason: string) => left_out.push({ attempt_id, repo_name, reason });
    const found = await host.snapshot(workspace, { known, maxBytes, store: 'database' }).catch((error: unknown) => {
      new Logger('Backup').warn({ err: error, attempt_id }, 'the work of an attempt is not in the backup');
      leaveOut(null, 'its worktrees could not be read');
      return [];
    });
    for (const { bundle, ...work } of found) {
      if (work.is_too_large) {
        leaveOut(work.repo_name, `it has more than ${maxBytes} bytes (WORKSPACE_SNAPSHOT_MAX_BYTES)`);
        continue;
      }
      const place = `works/${(works += 1)}`;
      const stored: StoredWork = { ...work, attempt_id, saved_by: home };
      yield jsonPart(`${place}.json`, stored);
      if (bundle !== null) yield { name: `${place}.bundle`, bytes: bundle };
    }
  }
  return { works, left_out };
}

const STORE = `
  INSERT INTO workspace_snapshots AS s (
    attempt_id, repo_name, base_commit, head, work, bundle, bytes, is_too_large, fingerprint, saved_by, saved_at,
    stored_by
  )
  SELECT a.id, $2, $3, $4, $5, NULL, 0, false, $6, $7, $8,
    (SELECT e.started_by FROM executions e WHERE e.attempt_id = a.id ORDER BY e.number DESC LIMIT 1)
  FROM attempts a
  WHERE a.id = $1
  ON CONFLICT (attempt_id, repo_name) DO UPDATE
  SET base_commit = excluded.base_commit, head = excluded.head, work = excluded.work, bundle = NULL, bytes = 0,
    is_too_large = false, fingerprint = excluded.fingerprint, saved_by = excluded.saved_by, remote = NULL,
    remote_failure = NULL, saved_at = excluded.saved_at, stored_by = excluded.stored_by`;

const STORE_BUNDLE = `
  UPDATE workspace_snapshots
  SET bundle = $3::bytea, bytes = length($3::bytea)
  WHERE attempt_id = $1 AND repo_name = $2`;

/** Stores works as saved, in the order of the archive: a bundle follows what it belongs to. */
export class StoredWorks {
  private last: StoredWork | null = null;

  constructor(
    private readonly client: pg.Client,
    private readonly saved_at: string,
  ) {}

  async add(part: FoundPart): Promise<void> {
    const content = await contentOf(part);
    if (part.name.endsWith('.bundle')) {
      await this.client.query(STORE_BUNDLE, [this.last!.attempt_id, this.last!.repo_name, content]);
      return;
    }
    const work = JSON.parse(content.toString()) as StoredWork;
    const { attempt_id, repo_name, base_commit, head, fingerprint, saved_by } = work;
    const values = [attempt_id, repo_name, base_commit, head, work.work, fingerprint, saved_by, this.saved_at];
    await this.client.query(STORE, values);
    this.last = work;
  }
}
