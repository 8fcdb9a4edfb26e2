import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';

export interface ToolInvocation {
  toolset: string;
  tool: string;
  principal_id: string;
  actor: string;
  /** Code of the refusal; null where the call succeeded. */
  code: string | null;
  duration_ms: number;
  /** Epoch in milliseconds, by this process's clock. */
  called_at: number;
}

export interface ToolUse {
  toolset: string;
  tool: string;
  calls: string;
  refusals: string;
  codes: Record<string, number>;
  median_ms: number;
}

@Injectable()
export class ToolInvocationsRepository {
  constructor(private readonly database: Database) {}

  /** Ages are kept: our clock's ages are applied to the database's time. */
  async insert(calls: ToolInvocation[]): Promise<void> {
    await this.database.query(
      `INSERT INTO tool_invocations (toolset, tool, principal_id, actor, code, duration_ms, called_at)
       SELECT toolset, tool, principal_id, actor, code, duration_ms,
         now() - ($2 - called_at) * interval '1 ms'
       FROM jsonb_to_recordset($1::jsonb) AS c (
         toolset text, tool text, principal_id text, actor text, code text, duration_ms real,
         called_at double precision
       )`,
      [JSON.stringify(calls), Date.now()],
    );
  }

  /** Calls and refusals a tool since a time, most called first. */
  async summarise(since: Date): Promise<ToolUse[]> {
    return this.database.query<ToolUse>(
      `SELECT toolset, tool, sum(n) AS calls,
         coalesce(sum(n) FILTER (WHERE code IS NOT NULL), 0) AS refusals,
         coalesce(jsonb_object_agg(code, n) FILTER (WHERE code IS NOT NULL), '{}') AS codes,
         (
           SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_ms) FROM tool_invocations i
           WHERE i.toolset = c.toolset AND i.tool = c.tool AND i.called_at >= $1
         ) AS median_ms
       FROM (
         SELECT toolset, tool, code, count(*)::int AS n FROM tool_invocations
         WHERE called_at >= $1
         GROUP BY toolset, tool, code
       ) c
       GROUP BY toolset, tool
       ORDER BY calls DESC, toolset, tool`,
      [since],
    );
  }

  /** At most so many rows. @returns how many were deleted */
  async prune(days: number, most: number): Promise<number> {
    return this.database.affected(
      `DELETE FROM tool_invocations
       WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM tool_invocations WHERE called_at < now() - $1 * interval '1 day' LIMIT $2
       ))`,
      [days, most],
    );
  }
}
