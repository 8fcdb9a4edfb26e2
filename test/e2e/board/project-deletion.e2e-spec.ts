import { expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { UnknownLandings } from '../../../src/deliveries/unknown-landings.js';
import { DATA_SOURCE } from '../../../src/platform/database/database.js';
import { InProcessBoard } from '../../support/in-process-server.js';

const board = InProcessBoard.use();
/** The queue looks after itself, waiters are woken, and worktrees and clones go, whatever else happens. */
const BACKGROUND = /\bqueue\.|pg_notify|\bclone_passwords\b|\brunners\b|\bturn_jobs\b|\bWHERE (a|r)\.id = ANY\(/;

it('a project is deleted in as many statements with 200 tasks as with 2, each task with its audit', async () => {
  await board.server.app.get(UnknownLandings, { strict: false }).onApplicationShutdown(); // looks whenever it likes
  const [few, many] = [await deletionOf(2), await deletionOf(200)];
  expect(few.statements.length).toBeGreaterThan(5);
  expect(many.statements).toEqual(few.statements);
  expect([few.deleted, many.deleted]).toEqual([2, 200]);
  expect([few.audited, many.audited]).toEqual([2, 200]);
});

async function deletionOf(tasks: number): Promise<{ statements: string[]; deleted: number; audited: number }> {
  const project_id = await board.bareProject();
  await board.server.query(
    `INSERT INTO tasks (id, project_id, title, created_at, updated_at)
     SELECT gen_random_uuid(), $1, 'Task ' || n, now(), now() FROM generate_series(1, $2::int) n`,
    [project_id, tasks],
  );
  const sent = jest.spyOn(clientOfServer(), 'query');
  const { status } = await board.rest.send('DELETE', `/api/projects/${project_id}`);
  const { calls, contexts } = sent.mock;
  const ours = calls.filter((_, at) => !isOfQueue(contexts[at] as object));
  const statements = ours.map(([query]) => textOf(query)).filter((text) => !BACKGROUND.test(text));
  sent.mockRestore();
  expect(status).toBe(200);
  const [row] = await board.server.query<{ deleted: number; audited: number }>(
    `SELECT count(*) FILTER (WHERE deleted_at IS NOT NULL)::int AS deleted,
       (
         SELECT count(*)::int FROM audit_log
         WHERE project_id = $1 AND action = 'deleted' AND entity_type = 'task'
       ) AS audited
     FROM tasks WHERE project_id = $1`,
    [project_id],
  );
  return { statements, ...row! };
}

/** What each connection of the server is made of. */
const clientOfServer = (): pg.Client =>
  board.server.app.get<{ driver: { postgres: typeof pg } }>(DATA_SOURCE, { strict: false }).driver.postgres.Client
    .prototype;

/** The queue has connections of its own. */
const isOfQueue = (client: object): boolean =>
  (client as { connectionParameters: pg.ClientConfig }).connectionParameters.application_name === 'taskyard-queue';

const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : String((query as { text?: string } | undefined)?.text);
