import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { ServerProcess } from '../../support/server-process.js';

const MB = 1_000_000;
/** Twice what the server holds once it is ready, and less than what the ninety-six thoughts below hold. */
const HEAP_MB = 160;
let database: TestDatabase;
let dataDir: string;
let server: ServerProcess;
let colibri: McpClient;
let kanban: McpClient;
let project_id: string;
let task_id: string;

/** What the database stores as one text of two megabytes. */
const TEXT = `repeat('x', ${2 * MB})`;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
  server = await ServerProcess.start({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
  });
  kanban = await server.mcp();
  colibri = await server.mcp('/mcp/colibri');
  project_id = (await server.rest.does('POST', '/api/projects', { name: 'Long texts' })).project_id as string;
  task_id = (await kanban.call('create_task', { project_id, title: 'Think' })).task_id as string;
});
afterAll(async () => {
  await server.end();
  await database.drop();
  server.repositories.remove();
  rmSync(dataDir, { recursive: true });
});

/** Rows of the first pages of a list, followed by its own word. */
async function pagesOf(read: (cursor: Json) => Promise<{ rows: Json[]; next: number | null }>): Promise<Json[][]> {
  const pages: Json[][] = [];
  for (let cursor: Json = {}; ;) {
    const { rows, next } = await read(cursor);
    pages.push(rows);
    if (next === null || pages.length === 12) return pages;
    cursor = { cursor: next };
  }
}
const query = ({ cursor }: Json): string => (cursor === undefined ? '' : `&cursor=${cursor}`);

describe('ninety-six thoughts of two megabytes', () => {
  beforeAll(async () => {
    await server.query(
      `INSERT INTO thought_records
         (id, task_id, position, type, agent_id, recorded_by, content, timestamp, version, prev_hash, hash)
       SELECT gen_random_uuid(), $1, n, 'plan', '@claude', '@claude', ${TEXT}, '2026-11-22T12:00:00.000Z', 2, '', ''
       FROM generate_series(1, 96) n`,
      [task_id],
    );
  });

  it('are read page by page, over REST and by the tool', async () => {
    const overRest = await pagesOf(async (cursor) => {
      const page = await server.rest.does('GET', `/api/tasks/${task_id}/thought-records?limit=500${query(cursor)}`);
      expect(page).toMatchObject({ total_count: 96, has_more: page.next_cursor !== null });
      return { rows: page.records as Json[], next: page.next_cursor as number | null };
    });
    expect(overRest.map((rows) => rows.length)).toEqual(Array<number>(12).fill(1));
    expect(new Set(overRest.flat().map(({ id }) => id as string)).size).toBe(12);
    const [first] = overRest;
    const { data } = await colibri.call('thought_record_list', { task_id, limit: 500 });
    expect(data).toMatchObject({ total_count: 96, has_more: true, records: [{ id: first![0]!.id as string }] });
  });

  it('are verified one after the other', async () => {
    const { data } = await colibri.call('audit_verify_chain', { task_id });
    expect(data).toMatchObject({ valid: false, record_count: 96 });
  });
});

describe('lists of long texts', () => {
  beforeAll(async () => {
    await server.query(
      `INSERT INTO tasks (id, project_id, title, description, stage, created_at, updated_at)
       SELECT gen_random_uuid(), $1, 'Long ' || n, CASE WHEN n % 2 = 0 THEN ${TEXT} END, 'PLAN', now(), now()
       FROM generate_series(1, 24) n`,
      [project_id],
    );
    await server.query(
      `INSERT INTO audit_log
         (entity_type, entity_id, task_id, project_id, action, actor, actor_type, details, created_at)
       SELECT 'task', $1::uuid, $1::uuid, $2, 'updated', '@ada', 'human', jsonb_build_object('after', ${TEXT}), now()
       FROM generate_series(1, 8)`,
      [task_id, project_id],
    );
    await server.query(`UPDATE projects SET description = ${TEXT} WHERE id = $1`, [project_id]);
  });

  it.each([
    ['of a task', () => `/api/tasks/${task_id}/audit?limit=500`],
    ['of everything', () => `/api/audit?project_id=${project_id}&limit=500`],
  ])('end the pages of the audit %s early', async (_, list) => {
    const pages = await pagesOf(async (cursor) => {
      const { entries, next_cursor } = await server.rest.does('GET', `${list()}${query(cursor)}`);
      return { rows: entries as Json[], next: next_cursor as number | null };
    });
    expect(pages.slice(0, 7).map((rows) => rows.length)).toEqual(Array<number>(7).fill(1));
    expect(pages.at(-1)?.at(-1)?.action).toBe('created');
  });

  it('end the pages of Colibri early, and say where the next one begins', async () => {
    const titles: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const { data } = await colibri.call('task_list', { project_id, limit: 500, offset });
      titles.push(...data.tasks.map(({ title }: Json) => title as string));
      expect(data.total_count).toBe(25);
      offset = (data.next_offset as number | undefined) ?? null;
    }
    expect(titles).toEqual(['Think', ...Array.from({ length: 24 }, (_, index) => `Long ${index + 1}`)]);
    const open = (await colibri.call('task_next_actions', {})).data;
    expect(open).toMatchObject({ total_count: 25, has_more: true, next_offset: open.tasks.length as number });
  });

  it('leave long texts out of lists without pages', async () => {
    const user = `user-${project_id}`;
    await server.rest.as(user).does('POST', '/api/projects', { name: 'Own' });
    await server.query(
      `INSERT INTO project_members (project_id, worker_id, role, joined_at)
       SELECT $1, id, 'member', now() FROM workers WHERE user_id = $2`,
      [project_id, user],
    );
    const taskflow = await server.mcp('/mcp/taskflow');
    const { result } = await taskflow.call('taskflow_list_projects', { user_id: user });
    const long = (result as Json[]).find(({ id }) => id === project_id);
    expect(long?.description).toHaveLength(2_000);
    expect((await taskflow.call('taskflow_list_tasks', { user_id: user, project_id })).result).toHaveLength(25);
  });

  it('answer a single row that is larger than the budget', async () => {
    await server.query(`UPDATE projects SET description = repeat('x', 4 * ${MB}) WHERE id = $1`, [project_id]);
    const { projects, has_more } = await server.rest.does('GET', '/api/projects?limit=1&cursor=2');
    expect({ listed: projects.length as number, has_more: has_more as boolean }).toEqual({
      listed: 1,
      has_more: false,
    });
  });
});
