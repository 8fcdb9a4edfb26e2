import { withinBudget } from '../../platform/database/answer-budget.js';
import { columnsOf } from '../../platform/database/columns.js';
import type { PreparedStatement } from '../../platform/database/database.js';
import { HIDDEN, LISTED } from '../../tasks/found-tasks.sql.js';
import { Task } from '../../tasks/task.entity.js';

/** What a page lists; each combination has a statement and a plan of its own. */
export interface PageShape {
  board: 'every' | 'project' | 'no_project';
  stage: 'any' | 'one' | 'open';
  withDeleted: boolean;
}

/** As in the migration that counts tasks: numbers per block, and boards that are not projects. */
const BLOCK = 2048;
/** A literal, because an unknown limit is estimated as a tenth of the board. */
export const MAX_ROWS = 500;
const NO_PROJECT = "'00000000-0000-0000-0000-000000000000'::uuid";
const EVERY_TASK = "'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid";

/** A page of tasks in creation order, and the total count. The stored counts say in which block of numbers the page
 *  begins, so that any offset costs one block. $1 project scope, $2 who asks, $3 limit, $4
 *  offset, $5 stage, $6 project; the last two may be null where the shape has none. */
export function pageStatement(shape: PageShape): PreparedStatement {
  const key = keyOf(shape).join(', ');
  return {
    name: `stage_board_${shape.board}_${shape.stage}${shape.withDeleted ? '_with_deleted' : ''}`,
    text: `
WITH asked AS (
  SELECT $1::uuid[] AS scope, $2::text AS who, $3::bigint AS size, $4::bigint AS start, $5::text AS stage,
    $6::uuid AS project
), excluded AS (
  SELECT project_id FROM asked JOIN project_members ON asked.who IS NOT NULL
  UNION SELECT project_id FROM asked JOIN project_groups ON asked.who IS NOT NULL
  EXCEPT SELECT own_projects(who) FROM asked WHERE who IS NOT NULL
), boards AS (${BOARDS[shape.board]}
), counted AS (
  SELECT c.block, sum(c.tasks * b.sign) AS tasks
  FROM boards b JOIN task_counts c ON c.board = b.id
  WHERE ${shape.withDeleted ? 'c.is_deleted IN (true, false)' : 'NOT c.is_deleted'} AND ${STAGES[shape.stage]}
  GROUP BY c.block
), walked AS (
  SELECT block, tasks, sum(tasks) OVER (ORDER BY block) - tasks AS before FROM counted
), span AS (
  SELECT coalesce(sum(tasks), 0)::int AS total,
    min(block) FILTER (WHERE tasks > 0 AND before + tasks > start) * ${BLOCK} AS first,
    max(block) FILTER (WHERE tasks > 0 AND before < start + size) * ${BLOCK} + ${BLOCK - 1} AS last,
    max(start) - min(before) FILTER (WHERE tasks > 0 AND before + tasks > start) AS skipped
  FROM asked LEFT JOIN walked ON true
), page AS (
  SELECT ${columnsOf(Task)}
  FROM (${candidates(shape, LISTED)}${shape.withDeleted ? ` UNION ALL${candidates(shape, HIDDEN)}` : ''}
  ) candidates
  ORDER BY ${key} OFFSET (SELECT skipped FROM span) LIMIT ${MAX_ROWS}
)
SELECT span.total, ${columnsOf(Task, 't')}, w.handle AS assignee_handle
FROM span
LEFT JOIN (${withinBudget(`SELECT ${columnsOf(Task)} FROM page ORDER BY number LIMIT (SELECT size FROM asked)`, {
      columns: columnsOf(Task),
      long: ['description'],
      order: 'number',
    })}) t ON true
LEFT JOIN workers w ON w.id = t.assignee_worker_id
ORDER BY t.number`,
  };
}

/** The boards whose counts make up the list: added, or subtracted from the board of all. */
const BOARDS = {
  project: `
  SELECT project AS id, 1 AS sign FROM asked
  WHERE (scope IS NULL OR project = ANY(scope)) AND project NOT IN (SELECT project_id FROM excluded)`,
  no_project: `
  SELECT ${NO_PROJECT} AS id, 1 AS sign FROM asked WHERE scope IS NULL`,
  every: `
  SELECT ${EVERY_TASK} AS id, 1 AS sign FROM asked WHERE scope IS NULL
  UNION ALL SELECT e.project_id, -1 FROM asked JOIN excluded e ON scope IS NULL
  UNION ALL SELECT id, 1 FROM asked, unnest(scope) id WHERE id NOT IN (SELECT project_id FROM excluded)`,
};

const STAGES = {
  any: 'true',
  one: 'c.stage = (SELECT stage FROM asked)',
  open: "c.stage NOT IN ('DONE', 'CANCELLED')",
};

/** An index has these columns in this order, for listed tasks and for hidden ones. */
function keyOf({ board, stage }: PageShape): string[] {
  return [...(board === 'every' ? [] : ['project_id']), ...(stage === 'one' ? ['stage'] : []), 'number'];
}

/** Row comparison and ordering by the whole key force that key's index; null equals nothing. At most one block is
 *  skipped before the page. In a subquery the planner estimates the limit as a tenth of all and walks the index; for a
 *  visible number it would sort. */
function candidates(shape: PageShape, which: string): string {
  const key = keyOf(shape);
  const compared = shape.board === 'no_project' ? key.slice(1) : key;
  const bound = (end: 'first' | 'last') =>
    compared.map((column) =>
      column === 'number' ? `(SELECT ${end} FROM span)` : `(SELECT ${ASKED[column]} FROM asked)`,
    );
  return `
    (SELECT ${columnsOf(Task)} FROM tasks
    WHERE (${compared.join(', ')}) >= (${bound('first').join(', ')})
      AND (${compared.join(', ')}) <= (${bound('last').join(', ')})
      AND ${which}${LIMITS[shape.board]}${shape.stage === 'open' ? OPEN : ''}
    ORDER BY ${key.join(', ')} LIMIT (SELECT ${BLOCK + MAX_ROWS}))`;
}

const ASKED: Record<string, string> = { project_id: 'project', stage: 'stage' };
const OPEN = `
      AND stage NOT IN ('DONE', 'CANCELLED')`;

/** Conditions besides the key. The bounds of a hidden project are null, so it has no tasks. */
const LIMITS = {
  project: '',
  no_project: `
      AND project_id IS NULL`,
  every: `
      AND CASE WHEN (SELECT scope IS NULL FROM asked) THEN true
        ELSE project_id = ANY((SELECT scope FROM asked)::uuid[]) END
      AND CASE WHEN (SELECT who IS NULL FROM asked) THEN true
        ELSE (project_id = ANY(ARRAY(SELECT project_id FROM excluded))) IS NOT TRUE END`,
};
