import { Injectable } from '@nestjs/common';
import type { UsageRow } from '../executors/usage.dto.js';
import { membershipOf, projectScope } from '../platform/access/rights.js';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import type { ReadUsageInput, UsageGroup } from './usage.dto.js';

export interface UsageSum extends UsageRow {
  key: string | null;
  name: string | null;
  runs: number;
  reported_runs: number;
  completed_runs: number;
  failed_runs: number;
  duration_ms: string;
  median_duration_ms: number | null;
  median_wait_ms: number | null;
  /** Over all rows, including those beyond the limit. */
  total: UsageRow;
}

const MAX_ROWS = 1_000;
const DURATION = 'extract(epoch FROM e.completed_at - e.started_at) * 1000';
const WAIT = 'extract(epoch FROM e.started_at - e.created_at) * 1000';
const DAY = `to_char(e.completed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`;
const groups: Record<UsageGroup, { key: string; name: string; join: string }> = {
  project: { key: 'e.project_id', name: 'p.name', join: 'JOIN projects p ON p.id = e.project_id' },
  task: { key: 'e.task_id', name: 't.title', join: 'JOIN tasks t ON t.id = e.task_id' },
  worker: {
    key: 't.assignee_worker_id',
    name: 'w.handle',
    join: 'JOIN tasks t ON t.id = e.task_id LEFT JOIN workers w ON w.id = t.assignee_worker_id',
  },
  executor: { key: 's.executor', name: 's.executor', join: 'JOIN sessions s ON s.id = e.session_id' },
  day: { key: DAY, name: DAY, join: '' },
};

@Injectable()
export class UsageRepository {
  constructor(private readonly database: Database) {}

  /** Sums of what runs of agents in the caller's projects have reported; sum() of nothing but null is null. */
  async sum(principal: Principal, group_by: UsageGroup, filter: ReadUsageInput): Promise<UsageSum[]> {
    const { key, name, join } = groups[group_by];
    const { project_id, task_id, worker_id, from, to } = filter;
    return this.database.query<UsageSum>(
      `SELECT ${key}::text AS key, ${name} AS name, count(*)::int AS runs,
         count(coalesce(e.input_tokens, e.output_tokens, e.cost_usd::bigint))::int AS reported_runs,
         count(*) FILTER (WHERE e.status = 'completed')::int AS completed_runs,
         count(*) FILTER (WHERE e.status = 'failed')::int AS failed_runs,
         coalesce(sum(${DURATION}), 0)::bigint AS duration_ms,
         percentile_cont(0.5) WITHIN GROUP (ORDER BY ${DURATION})::int AS median_duration_ms,
         percentile_cont(0.5) WITHIN GROUP (ORDER BY ${WAIT})::int AS median_wait_ms,
         sum(e.input_tokens)::bigint AS input_tokens, sum(e.cached_input_tokens)::bigint AS cached_input_tokens,
         sum(e.output_tokens)::bigint AS output_tokens, sum(e.cost_usd) AS cost_usd,
         jsonb_build_object(
           'input_tokens', sum(sum(e.input_tokens)) OVER (),
           'cached_input_tokens', sum(sum(e.cached_input_tokens)) OVER (),
           'output_tokens', sum(sum(e.output_tokens)) OVER (),
           'cost_usd', sum(sum(e.cost_usd)) OVER ()
         ) AS total
       FROM executions e ${join}
       WHERE e.run_reason IN ('codingagent', 'review') AND e.completed_at IS NOT NULL
         AND ($1::uuid[] IS NULL OR e.project_id = ANY($1))
         AND ($2::text IS NULL OR project_role(e.project_id, $2) IS NOT NULL)
         AND ($3::uuid IS NULL OR e.project_id = $3)
         AND ($4::timestamptz IS NULL OR e.completed_at >= $4) AND ($5::timestamptz IS NULL OR e.completed_at < $5)
         AND ($6::uuid IS NULL OR e.task_id = $6)
         AND ($7::uuid IS NULL OR e.task_id IN (SELECT id FROM tasks WHERE assignee_worker_id = $7))
       GROUP BY ${key}, ${name}
       ORDER BY ${group_by === 'day' ? '' : 'sum(e.output_tokens) DESC NULLS LAST,'} ${key}
       LIMIT ${MAX_ROWS}`,
      [projectScope(principal), membershipOf(principal), project_id, from, to, task_id, worker_id],
    );
  }
}
