import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../platform/database/database.js';

/** Whose storage: a project or a principal. */
export interface Holder {
  project_id: string | null;
  principal_id: string | null;
}

/** Bytes stored for a project or a principal, kept by triggers in the transaction of each write. */
@Injectable()
export class StoredBytesRepository {
  constructor(private readonly database: Database) {}

  async sumOf({ project_id, principal_id }: Holder): Promise<number> {
    const [row] = await this.database.query<{ bytes: string }>('SELECT stored_bytes_of($1, $2) AS bytes', [
      project_id,
      principal_id,
    ]);
    return Number(row?.bytes ?? 0);
  }

  /** For a record that no trigger counts. */
  async add(_tx: Transaction, project_id: string | null, principal_id: string, texts: string[]): Promise<void> {
    await this.database.query('SELECT add_stored_bytes($1, $2, record_bytes(VARIADIC $3::text[]))', [
      project_id,
      principal_id,
      texts,
    ]);
  }
}
