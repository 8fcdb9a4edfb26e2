import { Injectable } from '@nestjs/common';
import { BroadReads } from '../platform/access/broad-reads.js';
import type { Principal } from '../platform/access/principal.js';
import { membershipOf, projectScope } from '../platform/access/rights.js';
import { Database, type PreparedStatement } from '../platform/database/database.js';
import { termQuery, walk } from '../platform/database/word-search.js';
import { type Page, toPage } from '../platform/fields/paging.js';
import { ENDED_BY } from '../tasks/board.sql.js';
import { listedOr, signOf, TASK_TERMS } from '../tasks/found-tasks.sql.js';
import type { OwnTaskOutput } from './own-work.dto.js';
import { ASKED, SEEN } from './search.sql.js';

type OwnTask = OwnTaskOutput & { number: string };

const OPEN = ['todo', 'inprogress', 'inreview'];

/** $5 the number below which the list begins, $6 how many. */
const OWN_WORK: PreparedStatement = {
  name: 'own_work',
  text: `
WITH ${ASKED}
SELECT t.number, t.id AS task_id, t.title, t.status, t.project_id, p.name AS project_name, t.priority, t.due_date,
  s.attempt_id AS latest_attempt_id, s.state, ${ENDED_BY} AS ended_by,
  coalesce(s.delivery_state, 'none') AS delivery_state, t.updated_at
FROM (${walk({
    columns: 'number, id, title, status, project_id, priority, due_date, updated_at',
    table: 'tasks',
    indexed: 'deleted_at IS NULL',
    terms: TASK_TERMS,
    query: '(SELECT query FROM asked)',
    below: '$5::bigint',
    within: SEEN,
    limit: '$6',
  })}
) t
JOIN projects p ON p.id = t.project_id
LEFT JOIN attempt_summaries s ON s.attempt_id = (
  SELECT id
  FROM attempts
  WHERE task_id = t.id
  ORDER BY created_at DESC, id LIMIT 1
)
ORDER BY t.number DESC`,
};

@Injectable()
export class OwnWorkRepository {
  constructor(
    private readonly database: Database,
    private readonly broad: BroadReads,
  ) {}

  /** Open tasks of the worker who calls, newest first; a caller who is no worker owns all.
   *  @throws AppError query_too_broad */
  list(principal: Principal, limit: number, cursor = Number.MAX_SAFE_INTEGER): Promise<Page<OwnTask>> {
    const { worker } = principal;
    const signs = [OPEN.map(signOf.status), ...(worker === null ? [] : [signOf.assignee(worker)])];
    const query = termQuery({ ...listedOr(false), signs });
    const values = [projectScope(principal), membershipOf(principal), null, query, cursor, limit + 1];
    return this.broad.read(principal, 'a token of one project', async () =>
      toPage(await this.database.queryPrepared<OwnTask>(OWN_WORK, values), limit),
    );
  }
}
