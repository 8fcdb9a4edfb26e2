import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database, type Transaction } from '../platform/database/database.js';
import { SecretBox } from '../secrets/secret-box.js';
import type { SecretUse } from './secret.dto.js';

export interface SecretRow {
  name: string;
  expose: SecretUse[];
  updated_at: Date;
}

/** A secret in the clear; null where the key that sealed it is lost. */
export interface OpenedSecret {
  name: string;
  expose: SecretUse[];
  value: string | null;
}

interface SealedRow {
  project_id: string;
  name: string;
  expose: SecretUse[];
  sealed: Buffer;
}

/** Secrets of projects, each sealed for its project and name. */
@Injectable()
export class ProjectSecretsRepository implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly box: SecretBox,
  ) {}

  /** After the key has changed, as long as the previous one is known. */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.box.knowsEarlierKeys) return;
    const rows = await this.database.query<SealedRow>('SELECT project_id, name, expose, sealed FROM project_secrets');
    for (const row of rows) {
      const renewed = this.box.renewed(row.sealed, purposeOf(row));
      if (renewed !== null)
        await this.database.query(
          'UPDATE project_secrets SET sealed = $3 WHERE project_id = $1 AND name = $2 AND sealed = $4',
          [row.project_id, row.name, renewed, row.sealed],
        );
    }
  }

  list(project_id: string): Promise<SecretRow[]> {
    return this.database.query(
      'SELECT name, expose, updated_at FROM project_secrets WHERE project_id = $1 ORDER BY name',
      [project_id],
    );
  }

  async set(
    _tx: Transaction,
    secret: { project_id: string; name: string; value: string; expose: readonly SecretUse[] },
  ): Promise<SecretRow> {
    const { project_id, name, value, expose } = secret;
    const [row] = await this.database.query<SecretRow>(
      `INSERT INTO project_secrets (project_id, name, sealed, expose) VALUES ($1, $2, $3, $4)
       ON CONFLICT (project_id, name) DO UPDATE
         SET sealed = excluded.sealed, expose = excluded.expose, updated_at = now()
       RETURNING name, expose, updated_at`,
      [project_id, name, this.box.seal(value, purposeOf({ project_id, name })), expose],
    );
    return row!;
  }

  /** @returns false where there is none */
  async delete(_tx: Transaction, project_id: string, name: string): Promise<boolean> {
    const sql = 'DELETE FROM project_secrets WHERE project_id = $1 AND name = $2';
    return (await this.database.affected(sql, [project_id, name])) > 0;
  }

  /** With the names that runs of the project require. */
  async open(project_id: string): Promise<{ required: string[]; secrets: OpenedSecret[] }> {
    const rows = await this.database.query<{ required_secrets: string[] } & (SealedRow | { sealed: null })>(
      `SELECT p.required_secrets, p.id AS project_id, s.name, s.expose, s.sealed
       FROM projects p LEFT JOIN project_secrets s ON s.project_id = p.id
       WHERE p.id = $1`,
      [project_id],
    );
    const sealed = rows.filter((row): row is { required_secrets: string[] } & SealedRow => row.sealed !== null);
    return {
      required: rows[0]?.required_secrets ?? [],
      secrets: sealed.map((row) => ({ ...row, value: this.box.open(row.sealed, purposeOf(row)) })),
    };
  }
}

const purposeOf = ({ project_id, name }: { project_id: string; name: string }): string =>
  `secret ${name} of project ${project_id}`;
