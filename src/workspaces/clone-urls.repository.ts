import type { Database } from '../platform/database/database.js';

/** Where the repositories that runners clone come from. */
export class CloneUrlsRepository {
  constructor(private readonly database: Database) {}

  /** Null for one that is known by its path. */
  async find(repo_id: string): Promise<string | null> {
    const [row] = await this.database.query<{ url: string | null }>('SELECT url FROM repos WHERE id = $1', [repo_id]);
    return row?.url ?? null;
  }
}
