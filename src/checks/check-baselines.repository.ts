import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../platform/database/database.js';
import type { CheckBaseline, CheckResult } from './check.entity.js';

type Asked = Pick<CheckResult, 'repo_id' | 'base' | 'definition'>;

/** What checks said of commits that work builds on: asked once a commit and definition. */
@Injectable()
export class CheckBaselinesRepository {
  constructor(private readonly database: Database) {}

  async find({ repo_id, base, definition }: Asked): Promise<CheckBaseline['state'] | null> {
    const [row] = await this.database.query<Pick<CheckBaseline, 'state'>>(
      'SELECT state FROM check_baselines WHERE repo_id = $1 AND commit = $2 AND definition_hash = $3',
      [repo_id, base, hashOf(definition)],
    );
    return row?.state ?? null;
  }

  async store(_tx: Transaction, { repo_id, base, definition }: Asked, state: CheckBaseline['state']): Promise<void> {
    await this.database.query(
      `INSERT INTO check_baselines (repo_id, commit, definition_hash, state) VALUES ($1, $2, $3, $4)
       ON CONFLICT ON CONSTRAINT check_baselines_pkey DO NOTHING`,
      [repo_id, base, hashOf(definition), state],
    );
  }

  /** @param days at least 1 @returns how many of the oldest rows went, at most `most` */
  prune(days: number, most: number): Promise<number> {
    return this.database.affected(
      `DELETE FROM check_baselines
       WHERE (repo_id, commit, definition_hash) IN (
         SELECT repo_id, commit, definition_hash
         FROM check_baselines
         WHERE created_at < now() - $1 * interval '1 day'
         LIMIT $2
       )`,
      [days, most],
    );
  }
}

/** Of what decides how it ends. */
const hashOf = ({ command, timeout_secs, network }: CheckResult['definition']): string =>
  createHash('sha256')
    .update(JSON.stringify([command, timeout_secs, network]))
    .digest('hex');
