import type { OnApplicationBootstrap } from '@nestjs/common';
import type { SecretBox } from '../secrets/secret-box.js';
import type { Database, Transaction } from '../platform/database/database.js';
import type { RemoteCredential, RemoteCredentials } from '../git/remote-link.js';
import { cloneSource } from './clone-source.js';
import { clonedRepository } from './workspace-paths.js';

const FORGET_ABANDONED = `
  DELETE FROM clone_passwords c
  USING repos r, projects p
  WHERE r.id = c.repo_id AND p.id = r.project_id AND p.deleted_at IS NOT NULL
    AND NOT EXISTS (
      SELECT 1 FROM attempts a WHERE a.project_id = p.id AND a.workspace_state <> 'removed'
    )`;

/** URLs of the repositories that runners clone, and the sealed credentials of those URLs, for their host only. */
export class CloneOriginsRepository implements RemoteCredentials, OnApplicationBootstrap {
  /** @param hosts credentials for whole hosts, which take precedence */
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
    private readonly hosts: RemoteCredentials | null,
  ) {}

  /** After the key has changed, as long as the previous one is known. */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.secrets.knowsEarlierKeys) return;
    const rows = await this.database.query<{ repo_id: string; url: string; sealed: Buffer }>(
      'SELECT c.repo_id, r.url, c.sealed FROM clone_passwords c JOIN repos r ON r.id = c.repo_id',
    );
    for (const { repo_id, url, sealed } of rows) {
      const renewed = this.secrets.renewed(sealed, purposeOf(repo_id, new URL(url).origin));
      const values = [repo_id, renewed, sealed];
      if (renewed !== null)
        await this.database.query('UPDATE clone_passwords SET sealed = $2 WHERE repo_id = $1 AND sealed = $3', values);
    }
  }

  /** Null for a repository that was added by path. */
  async findUrl(repo_id: string): Promise<string | null> {
    const [row] = await this.database.query<{ url: string | null }>('SELECT url FROM repos WHERE id = $1', [repo_id]);
    return row?.url ?? null;
  }

  async find(origin: string, repo_path: string): Promise<RemoteCredential | null> {
    const ofHost = await this.hosts?.find(origin, repo_path);
    const repo_id = clonedRepository(repo_path);
    if (ofHost || repo_id === null) return ofHost ?? null;
    const sql = 'SELECT sealed FROM clone_passwords WHERE repo_id = $1';
    const [row] = await this.database.query<{ sealed: Buffer }>(sql, [repo_id]);
    const opened = row && this.secrets.open(row.sealed, purposeOf(repo_id, origin));
    return opened ? (JSON.parse(opened) as RemoteCredential) : null;
  }

  /** @param url as it was given, with all that is secret in it */
  async keepPassword(_tx: Transaction, repo_id: string, url: string): Promise<void> {
    const source = cloneSource(url);
    if (typeof source === 'string' || source.credential === null) return;
    const purpose = purposeOf(repo_id, new URL(source.url).origin);
    const sealed = this.secrets.seal(JSON.stringify(source.credential), purpose);
    await this.database.query('INSERT INTO clone_passwords (repo_id, sealed) VALUES ($1, $2)', [repo_id, sealed]);
  }

  /** For deleted projects whose worktrees are gone. */
  async forgetAbandoned(): Promise<void> {
    await this.database.query(FORGET_ABANDONED);
  }
}

const purposeOf = (repo_id: string, origin: string): string => `clone ${repo_id} from ${origin}`;
