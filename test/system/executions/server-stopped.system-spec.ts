import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { givenAttempt, givenProject } from '../../support/board.js';
import { createTestDatabase, openTransactions, type TestDatabase } from '../../support/database.js';
import { eventually, processesOfRun } from '../../support/eventually.js';
import type { McpClient } from '../../support/mcp-client.js';
import { untilSaid } from '../../support/runs.js';
import { ServerProcess } from '../../support/server-process.js';

const LOST = 'runner lost: the server was shut down';
const DEAF = 'trap "" INT TERM HUP; echo ready; while :; do sleep 0.1; done';

describe('SIGTERM to the server', () => {
  let database: TestDatabase;
  let dataDir: string;
  let server: ServerProcess;
  let client: McpClient;
  let project_id: string;

  beforeEach(async () => {
    database = await createTestDatabase();
    dataDir = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
    server = await ServerProcess.start({ DATABASE_URL: database.url, DATA_DIR: dataDir });
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
  });
  afterEach(async () => {
    await server.end();
    await database.drop();
    server.repositories.remove();
    rmSync(dataDir, { recursive: true });
  });

  async function given(script: string): Promise<{ attempt_id: string; execution_process_id: string }> {
    const attempt = await givenAttempt(client, project_id, script);
    await untilSaid(client, attempt.attempt_id as string, 'ready');
    return attempt as never;
  }

  it('answers who waits, records what was cut short, ends every process and says so by its exit code', async () => {
    const { attempt_id, execution_process_id } = await given('echo ready; sleep 600');
    const waiting = [
      client.call('get_attempt_status', { attempt_id, wait_ms: 30_000 }),
      client.call('tail_attempt_logs', { attempt_id, channel: 'raw', after_entry_index: 0, wait_ms: 30_000 }),
    ];
    await delay(500); // both are on their way
    const ended = server.end('SIGTERM');
    for (const answer of await Promise.all(waiting))
      expect(answer).toMatchObject({ attempt_id, state: expect.stringMatching(/^(running|failed)$/) });
    const { code, output } = await ended;
    expect(code).toBe(0);
    expect(output).not.toMatch(/error|unhandled|rejection/i);
    expect(processesOfRun(execution_process_id)).toEqual([]);
    expect(await server.query('SELECT status, failure_summary FROM executions')).toEqual([
      { status: 'failed', failure_summary: LOST },
    ]);
    expect(await server.query('SELECT status FROM tasks')).toEqual([{ status: 'inreview' }]);
    expect(await openTransactions(database.url)).toEqual([]);
    const left = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    await eventually('its connections to end', async () => (await server.query(left)).length === 0);
  });

  it('ends by force what is deaf, in time', async () => {
    const { execution_process_id } = await given(
      `setsid bash -c 'trap "" INT TERM HUP; while :; do sleep 1; done' & ${DEAF}`,
    );
    expect(await server.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(processesOfRun(execution_process_id)).toEqual([]);
    expect(await server.query('SELECT status, failure_summary FROM executions')).toEqual([
      { status: 'failed', failure_summary: LOST },
    ]);
  });

  it('and again at once, as npm passes on what a terminal sends to both, is one signal', async () => {
    const { execution_process_id } = await given(DEAF);
    server.kill('SIGTERM');
    await delay(20);
    expect(await server.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(processesOfRun(execution_process_id)).toEqual([]);
    expect(await server.query('SELECT status, failure_summary FROM executions')).toEqual([
      { status: 'failed', failure_summary: LOST },
    ]);
  });

  it('twice ends it at once, and leaves no process all the same', async () => {
    const { execution_process_id, attempt_id } = await given(DEAF);
    const first = server.end('SIGTERM');
    await delay(1_000);
    expect(await server.end('SIGTERM')).toMatchObject({ code: 1 });
    await first;
    server = await server.startAgain();
    client = await server.mcp();
    expect(processesOfRun(execution_process_id)).toEqual([]);
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      state: 'failed',
      failure_summary: expect.stringContaining('runner lost'),
    });
  });
});
