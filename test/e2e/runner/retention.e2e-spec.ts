import { describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Jobs } from '../../../src/cluster/jobs.js';
import { InProcessBoard } from '../../support/in-process-server.js';
import { eventually } from '../../support/eventually.js';

const board = InProcessBoard.use({
  LOG_TTL_DAYS: '10',
  APPROVAL_TTL_DAYS: '10',
  AUDIT_TTL_DAYS: '40',
  EVENT_TTL_DAYS: '10',
  REPOSITORY_HOSTS: '',
});

async function prune(): Promise<void> {
  await board.server.app.get(Jobs).send(null, { kind: 'prune_records', data: {} });
  await eventually('the prune', async () => {
    const open = await board.server.query(
      "SELECT 1 FROM queue.job WHERE name = 'prune_records' AND state < 'completed'",
    );
    return open.length === 0;
  });
}
const count = async (sql: string, values: unknown[] = []): Promise<number> =>
  (await board.server.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${sql}`, values))[0]!.count;

describe('retention', () => {
  it('removes whole logs of attempts that rested for long, and no others', async () => {
    const { project_id } = await board.project();
    const old = await board.endedAttempt(project_id, 'echo old');
    const young = await board.endedAttempt(project_id, 'echo young');
    const live = await board.endedAttempt(project_id, 'echo live');
    await board.server.query(
      "UPDATE log_heads SET last_activity_at = now() - interval '11 days' WHERE attempt_id = ANY($1)",
      [[old.attempt_id, live.attempt_id]],
    );
    await board.server.query("UPDATE executions SET status = 'running' WHERE attempt_id = $1", [live.attempt_id]);
    await prune();
    const chunks = (attempt_id: unknown) => count('log_chunks WHERE attempt_id = $1', [attempt_id]);
    expect(await chunks(old.attempt_id)).toBe(0);
    expect(await chunks(young.attempt_id)).toBeGreaterThan(0);
    expect(await chunks(live.attempt_id)).toBeGreaterThan(0);
    await board.server.query("UPDATE executions SET status = 'completed' WHERE attempt_id = $1", [live.attempt_id]);
    expect(await board.rest.does('GET', `/api/attempts/${old.attempt_id}/logs?channel=raw`)).toMatchObject({
      state: 'completed',
      page: { entries: [], has_more: false },
    });
  });

  it('removes closed approval requests after their time, and old audit entries in batches', async () => {
    const { project_id } = await board.project();
    const { attempt_id, task_id } = await board.endedAttempt(project_id, 'echo x');
    await board.server.query(
      `INSERT INTO approvals (id, execution_id, attempt_id, task_id, project_id, tool_name, tool_call, summary, input,
         status, created_at, timeout_at, answered_at)
       SELECT gen_random_uuid(), e.id, e.attempt_id, e.task_id, e.project_id, 'Bash', '', '', '{}',
         CASE WHEN n = 3 THEN 'pending' ELSE 'approved' END, now(), now(),
         CASE WHEN n < 3 THEN now() - n * interval '8 days' END
       FROM executions e, generate_series(1, 3) n WHERE e.attempt_id = $1`,
      [attempt_id],
    );
    await board.server.query(
      `INSERT INTO audit_log (entity_type, entity_id, action, actor, actor_type, details, created_at)
       OVERRIDING SYSTEM VALUE
       SELECT 'worker', gen_random_uuid(), 'created', 'old', 'system', '{}', now() - interval '41 days'
       FROM generate_series(1, 10)`,
    );
    await board.server.query("UPDATE audit_log SET created_at = now() - $1 * interval '1 day' WHERE task_id = $2", [
      39,
      task_id,
    ]);
    await board.server.query("UPDATE events SET created_at = now() - interval '11 days' WHERE subject = $1", [
      attempt_id,
    ]);
    await prune();
    expect(await count('events WHERE subject = $1', [attempt_id])).toBeLessThan(2);
    expect(await count('approvals WHERE attempt_id = $1', [attempt_id])).toBe(2);
    expect(await count('audit_log WHERE task_id = $1', [task_id])).toBeGreaterThan(0);
  });

  it('removes demo sessions in which nothing was said for long', async () => {
    const folder = path.join(board.server.environment.DATA_DIR, 'demo-sessions');
    mkdirSync(folder, { recursive: true });
    const at = (days: number) => Date.now() / 1_000 - days * 86_400;
    for (const [name, days] of [
      ['old.json', 11],
      ['young.json', 9],
    ] as const) {
      writeFileSync(path.join(folder, name), '{}');
      utimesSync(path.join(folder, name), at(days), at(days));
    }
    await prune();
    expect(readdirSync(folder)).toEqual(['young.json']);
  });

  it('forgets replicas that were killed, and no runner', async () => {
    for (const [name, role, days] of [
      ['replica', 'api', 2],
      ['young replica', 'api', 0.5],
      ['home', 'runner', 200],
    ] as const)
      await board.server.query(
        `INSERT INTO runners
           (runner_id, incarnation, role, address, version, slots, isolation, limits, secret_print, seen_at)
         VALUES ($1, gen_random_uuid(), $2, 'x:1', '0', 0, 'none', '{}', '', now() - $3::float * interval '1 day')`,
        [name, role, days],
      );
    await prune();
    const { runners } = (await board.rest.does('GET', '/api/runners')) as { runners: { runner_id: string }[] };
    const names = runners.map(({ runner_id }) => runner_id);
    expect(['replica', 'young replica', 'home'].filter((name) => names.includes(name))).toEqual([
      'young replica',
      'home',
    ]);
  });

  it('removes a clone with its project, once its worktrees are gone', async () => {
    const source = board.repository();
    const clones = path.join(board.server.environment.DATA_DIR, 'repos');
    const { project_id } = await board.rest.does('POST', '/api/projects', {
      name: 'Cloned',
      repos: [{ url: `file://${source.dir}`, name: 'web' }],
    });
    const { repos } = await board.rest.does('GET', `/api/projects/${project_id}/repos`);
    const clone = path.join(clones, `${repos[0].repo_id}.git`);
    await prune();
    expect(existsSync(clone)).toBe(true);
    await board.rest.does('DELETE', `/api/projects/${project_id}`);
    await prune();
    expect(existsSync(clone)).toBe(false);
  });
});
