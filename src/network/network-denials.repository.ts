import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../platform/database/database.js';

export interface HostCount {
  host: string;
  port: number;
  count: number;
}

export interface DenialRow extends HostCount {
  last_at: Date;
}

/** Of one attempt. Who tries every host there is, fills no more. */
export const MOST_HOSTS = 500;

/** Hosts that runs of an attempt wanted to reach and that are not listed. */
@Injectable()
export class NetworkDenialsRepository {
  constructor(private readonly database: Database) {}

  async add(_tx: Transaction, attempt_id: string, counts: readonly HostCount[]): Promise<void> {
    await this.database.query(
      `INSERT INTO network_denials AS d (attempt_id, host, port, count)
       SELECT $1, n.host, n.port, n.count
       FROM unnest($2::text[], $3::int[], $4::bigint[]) AS n (host, port, count)
       WHERE (SELECT count(*) FROM network_denials WHERE attempt_id = $1) < ${MOST_HOSTS}
         OR EXISTS (SELECT 1 FROM network_denials o WHERE (o.attempt_id, o.host, o.port) = ($1, n.host, n.port))
       ON CONFLICT (attempt_id, host, port) DO UPDATE SET count = d.count + excluded.count, last_at = now()`,
      [attempt_id, counts.map(({ host }) => host), counts.map(({ port }) => port), counts.map(({ count }) => count)],
    );
  }

  /** Old ones, at most so many. @returns how many were deleted */
  prune(days: number, most: number): Promise<number> {
    return this.database.affected(
      `DELETE FROM network_denials
       WHERE (attempt_id, host, port) IN (
         SELECT attempt_id, host, port FROM network_denials WHERE last_at < now() - $1 * interval '1 day' LIMIT $2
       )`,
      [days, most],
    );
  }

  /** The most frequent first. */
  list(attempt_id: string): Promise<DenialRow[]> {
    return this.database.query(
      `SELECT host, port, count::float8 AS count, last_at
       FROM network_denials WHERE attempt_id = $1
       ORDER BY count DESC, host, port LIMIT ${MOST_HOSTS}`,
      [attempt_id],
    );
  }
}
