import { beforeAll, describe, expect, it } from '@jest/globals';
import { IdempotencyService } from '../../../src/idempotency/idempotency.service.js';
import {
  gate,
  givenAttempt,
  givenEndedAttempt,
  givenProject,
  givenTask,
  type Project,
  untilEnded,
} from '../../support/board.js';
import { expectOneEffect, holdKey } from '../../support/idempotency-keys.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { CLUSTER_SECRET } from '../../support/server.js';
import { InProcessServer } from '../../support/in-process-server.js';

const KEEPING = { VK_IDEMPOTENCY_COMPLETED_TTL_SECS: '0', VK_IDEMPOTENCY_IN_PROGRESS_TTL_SECS: '0' };
const server = InProcessServer.use({ CLUSTER_SECRET });
let client: McpClient;
let project: Project;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
});

const tenTimes = (name: string, args: object) => Promise.all(Array.from({ length: 10 }, () => client.call(name, args)));
const countOf = async (sql: string, ...values: unknown[]): Promise<number> => (await server.query(sql, values)).length;

/** While `work` runs, every write of that kind to the table fails. */
async function withFault(table: string, event: 'INSERT' | 'UPDATE', work: () => Promise<void>): Promise<void> {
  await server.query(
    `CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'fault'; END $$`,
  );
  await server.query(`CREATE TRIGGER fault BEFORE ${event} ON ${table} FOR EACH ROW EXECUTE FUNCTION fault()`);
  try {
    await work();
  } finally {
    await server.query('DROP FUNCTION fault() CASCADE');
  }
}

describe('ten equal calls at once have one effect and one answer', () => {
  it('create_task', async () => {
    const answers = await tenTimes('create_task', {
      project_id: project.project_id,
      title: 'Ten creates',
      request_id: 'ten-creates',
    });
    expectOneEffect(answers);
    expect(await server.query("SELECT id FROM tasks WHERE title = 'Ten creates'")).toEqual([
      { id: answers[0]!.task_id },
    ]);
  });

  it('start_task_attempt', async () => {
    const task_id = await givenTask(client, project.project_id);
    const answers = await tenTimes('start_task_attempt', { task_id, executor: 'SHELL', request_id: 'ten-starts' });
    expectOneEffect(answers);
    await untilEnded(client, answers[0]!.attempt_id);
    expect([
      await countOf('SELECT 1 FROM attempts WHERE task_id = $1', task_id),
      await countOf('SELECT 1 FROM executions WHERE task_id = $1', task_id),
    ]).toEqual([1, 1]);
  });

  it('follow_up send', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project.project_id);
    const answers = await tenTimes('follow_up', {
      attempt_id,
      action: 'send',
      prompt: 'true',
      request_id: 'ten-sends',
    });
    expectOneEffect(answers);
    await untilEnded(client, attempt_id);
    expect(await countOf('SELECT 1 FROM executions WHERE attempt_id = $1', attempt_id)).toBe(2);
  });

  it('follow_up queue', async () => {
    const { wait, open } = gate(server);
    const { attempt_id } = await givenAttempt(client, project.project_id, wait);
    const answers = await tenTimes('follow_up', {
      attempt_id,
      action: 'queue',
      prompt: 'true',
      request_id: 'ten-queues',
    });
    expectOneEffect(answers);
    expect(answers[0]).toMatchObject({ queue_status: 'queued' });
    open();
    await untilEnded(client, attempt_id);
    expect(await countOf('SELECT 1 FROM executions WHERE attempt_id = $1', attempt_id)).toBe(2);
  });

  it('and of two different payloads one wins', async () => {
    const create = (title: string) =>
      client.sdk.callTool({
        name: 'create_task',
        arguments: { project_id: project.project_id, title, request_id: 'two-payloads' },
      });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => create(at % 2 ? 'Odd' : 'Even')));
    const won = answers
      .filter((answer) => !answer.isError)
      .map((answer) => (answer.structuredContent as Json).task_id as string);
    expect([won.length, new Set(won).size]).toEqual([5, 1]);
    for (const { structuredContent } of answers.filter((answer) => answer.isError))
      expect(structuredContent).toMatchObject({ code: 'idempotency_conflict' });
    expect(await countOf("SELECT 1 FROM tasks WHERE title IN ('Odd', 'Even')")).toBe(1);
  });
});

describe('a retry that comes while the first request is at work', () => {
  const call = (request_id: string) => ({
    project_id: project.project_id,
    title: `Waited for ${request_id}`,
    request_id,
  });

  it('waits for it, and does the work where it had no effect', async () => {
    const held = await holdKey(server, 'create_task', 'wait-rollback');
    const retry = client.call('create_task', call('wait-rollback'));
    await held.untilSomebodyWaits();
    await held.rollback();
    expect(await countOf('SELECT 1 FROM tasks WHERE id = $1', (await retry).task_id)).toBe(1);
  });

  it('waits without a connection of the pool: others are served, however many wait', async () => {
    const held = await holdKey(server, 'create_task', 'wait-crowd');
    const retries = tenTimes('create_task', call('wait-crowd')); // as many as the pool has connections
    await held.untilSomebodyWaits();
    expect(await client.call('list_projects')).toMatchObject({ count: 1 });
    expect(await client.call('create_task', { ...call('wait-other') })).toEqual({ task_id: expect.any(String) });
    await held.rollback();
    const answers = await retries;
    expectOneEffect(answers);
  });

  it('waits for it, and answers its result', async () => {
    const first = await client.call('create_task', call('wait-commit'));
    const { request_hash } = (
      await server.query<{ request_hash: string }>(
        "SELECT request_hash FROM idempotency_keys WHERE key = 'wait-commit'",
      )
    )[0]!;
    await server.query("DELETE FROM idempotency_keys WHERE key = 'wait-commit'");
    const held = await holdKey(server, 'create_task', 'wait-commit', request_hash);
    const retries = Promise.all([
      client.call('create_task', call('wait-commit')),
      client.call('create_task', call('wait-commit')),
    ]);
    await held.untilSomebodyWaits();
    await held.commit(first);
    expect(await retries).toEqual(Array(2).fill({ ...first, replayed: true }));
    expect(await countOf("SELECT 1 FROM tasks WHERE title = 'Waited for wait-commit'")).toBe(1);
  });
});

describe('key and effect commit together', () => {
  it.each([
    ['tasks', 'INSERT'],
    ['audit_log', 'INSERT'],
    ['idempotency_keys', 'INSERT'],
  ] as const)('create_task leaves nothing when a write to %s fails', async (table, event) => {
    const call = { project_id: project.project_id, title: `Faulty ${table}`, request_id: `fault-${table}` };
    await withFault(table, event, async () => {
      expect(await client.refused('create_task', call)).toMatchObject({ code: 'internal_error', retryable: true });
    });
    expect([
      await countOf('SELECT 1 FROM tasks WHERE title = $1', call.title),
      await countOf('SELECT 1 FROM idempotency_keys WHERE key = $1', call.request_id),
    ]).toEqual([0, 0]);
    expect(
      await server.query('SELECT id FROM tasks WHERE id = $1', [(await client.call('create_task', call)).task_id]),
    ).toHaveLength(1);
  });

  it.each([
    ['executions', 'INSERT'],
    ['turn_jobs', 'INSERT'],
    ['idempotency_keys', 'UPDATE'],
  ] as const)('start_task_attempt leaves nothing when a write to %s fails', async (table, event) => {
    const task_id = await givenTask(client, project.project_id);
    const call = { task_id, executor: 'SHELL', request_id: `fault-start-${table}` };
    await withFault(table, event, async () => {
      expect(await client.refused('start_task_attempt', call)).toMatchObject({
        code: 'internal_error',
        retryable: true,
      });
    });
    const left = await server.query(
      `SELECT 1 FROM attempts WHERE task_id = $1 UNION ALL SELECT 1 FROM executions
         WHERE task_id = $1 UNION ALL SELECT 1 FROM idempotency_keys WHERE key = $2`,
      [task_id, call.request_id],
    );
    expect(left).toEqual([]);
    expect((await client.call('get_task', { task_id })).task).toMatchObject({
      status: 'todo',
      latest_attempt_id: null,
    });
    expect(await untilEnded(client, (await client.call('start_task_attempt', call)).attempt_id)).toMatchObject({
      state: 'completed',
    });
  });
});

describe('time to live of keys', () => {
  const day = 86_400;
  const insert = (key: string, state: string, ageSecs: number) =>
    server.query(
      `INSERT INTO idempotency_keys (operation, principal_id, key, request_hash, state, created_at, updated_at)
     SELECT 'create_task', 'local-owner', $1, 'x', $2, then_at, then_at
     FROM (SELECT now() - $3 * interval '1 second' AS then_at) at`,
      [key, state, ageSecs],
    );
  const aged = () =>
    server
      .query<{ key: string }>("SELECT key FROM idempotency_keys WHERE key LIKE 'aged %' ORDER BY key")
      .then((rows) => rows.map((row) => row.key));

  it('0 disables pruning, else finished keys go after seven days and stale ones after an hour', async () => {
    await insert('aged completed, old', 'completed', 7 * day + 60);
    await insert('aged completed, young', 'completed', 7 * day - 60);
    await insert('aged in progress, old', 'in_progress', 3_660);
    await insert('aged in progress, young', 'in_progress', 3_540);
    const settings = { ROLE: 'api', CLUSTER_SECRET, ...KEEPING };
    const keeping = await InProcessServer.start(settings, server.database);
    expect(await keeping.app.get(IdempotencyService).prune()).toBe(0);
    await keeping.stop({ keepDatabase: true });
    expect(await aged()).toHaveLength(4);
    expect(await server.app.get(IdempotencyService).prune()).toBe(2);
    expect(await aged()).toEqual(['aged completed, young', 'aged in progress, young']);
  });

  it('a stale key blocks nobody once it is pruned, and a young one answers idempotency_in_progress', async () => {
    const call = { project_id: project.project_id, title: 'Given up', request_id: 'given up' };
    await client.call('create_task', call);
    await server.query("UPDATE idempotency_keys SET state = 'in_progress', result = NULL WHERE key = 'given up'");
    expect(await client.refused('create_task', call)).toMatchObject({
      code: 'idempotency_in_progress',
      retryable: true,
    });
    expect(await server.rest.get('/api/idempotency-keys/given%20up')).toMatchObject({
      body: { requests: [{ state: 'in_progress', result: null }] },
    });
    await server.query("UPDATE idempotency_keys SET updated_at = now() - interval '2 hours' WHERE key = 'given up'");
    await server.app.get(IdempotencyService).prune();
    expect(await client.call('create_task', call)).toEqual({ task_id: expect.any(String) });
  });
});
