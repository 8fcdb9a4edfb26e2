import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { allRawLines, givenAttempt, givenProject, untilEnded } from '../../support/board.js';
import { createTestDatabase, openTransactions, type TestDatabase } from '../../support/database.js';
import { processesOfRun } from '../../support/eventually.js';
import type { McpClient } from '../../support/mcp-client.js';
import { givenRepos, runsOf, untilSaid } from '../../support/runs.js';
import { ServerProcess } from '../../support/server-process.js';

jest.setTimeout(120_000); // each test starts the built server a few times

const LOST = 'runner lost: the server was shut down';

describe('SIGTERM to the server', () => {
  let database: TestDatabase;
  let dataDir: string;
  let server: ServerProcess;
  let client: McpClient;
  let project_id: string;

  beforeEach(async () => {
    database = await createTestDatabase();
    dataDir = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
    server = await ServerProcess.start({ DATABASE_URL: database.url, DATA_DIR: dataDir, MAX_CONCURRENT_EXECUTIONS: '2' });
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
  });
  afterEach(async () => {
    await server.end();
    await database.drop();
    server.repositories.remove();
    rmSync(dataDir, { recursive: true });
  });

  async function given(script: string, project = project_id): Promise<{ attempt_id: string; execution_process_id: string }> {
    const attempt = await givenAttempt(client, project, script);
    await untilSaid(client, attempt.attempt_id as string, 'ready');
    return attempt as never;
  }

  async function stopAndStartAgain(): Promise<void> {
    expect(await server.end('SIGTERM')).toMatchObject({ code: 143, signal: null });
    server = await server.startAgain();
    client = await server.mcp();
  }

  it('writes down what was cut short, ends every process and says so with its exit code', async () => {
    const run = await given('echo ready; sleep 600');
    const { code, output } = await server.end('SIGTERM');
    expect(code).toBe(143);
    expect(output).not.toMatch(/error|unhandled|rejection/i);
    expect(processesOfRun(run.execution_process_id)).toEqual([]);
    expect(await server.query('SELECT status, failure_summary FROM executions')).toEqual([{ status: 'failed', failure_summary: LOST }]);
    expect(await server.query('SELECT status FROM tasks')).toEqual([{ status: 'inreview' }]);
    expect(await openTransactions(database.url)).toEqual([]);
    expect(await server.query("SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")).toEqual([{ open: 0 }]);
  });

  it('answers who waits, with the state as it is', async () => {
    const { attempt_id } = await given('echo ready; sleep 600');
    const waiting = [
      client.call('get_attempt_status', { attempt_id, wait_ms: 30_000 }),
      client.call('tail_attempt_logs', { attempt_id, channel: 'raw', after_entry_index: 0, wait_ms: 30_000 }),
    ];
    await new Promise((resolve) => setTimeout(resolve, 500)); // both are on their way
    const ended = server.end('SIGTERM');
    for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ attempt_id, state: expect.stringMatching(/^(running|failed)$/) });
    await ended;
  });

  it('keeps the message behind the run that it cut short, and runs it after the next start', async () => {
    const { attempt_id } = await given('echo ready; sleep 600');
    await client.call('follow_up', { attempt_id, action: 'queue', prompt: 'echo kept' });
    await stopAndStartAgain();
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed', final_message: 'kept', has_queued_message: false });
    expect(await runsOf(server, attempt_id)).toEqual(['codingagent failed', 'codingagent completed']);
    expect(await server.query('SELECT failure_summary FROM executions ORDER BY number LIMIT 1')).toEqual([{ failure_summary: LOST }]);
  });

  it('does not believe a run that says it is done when it is told to end', async () => {
    const { attempt_id } = await given('trap "echo goodbye; exit 0" INT TERM; echo ready; while :; do sleep 0.1; done');
    await client.call('follow_up', { attempt_id, action: 'queue', prompt: 'echo kept' });
    await stopAndStartAgain();
    await untilEnded(client, attempt_id);
    expect(await runsOf(server, attempt_id)).toEqual(['codingagent failed', 'codingagent completed']);
    expect(await allRawLines(client, attempt_id)).toEqual(['ready', 'goodbye', 'kept']);
  });

  it('ends by force what is deaf, in time', async () => {
    const { execution_process_id } = await given(`trap "" INT TERM HUP; setsid bash -c 'trap "" INT TERM HUP; while :; do sleep 1; done' & echo ready; while :; do sleep 0.1; done`);
    expect(await server.end('SIGTERM')).toMatchObject({ code: 143 });
    expect(processesOfRun(execution_process_id)).toEqual([]);
    expect(await server.query('SELECT status, failure_summary FROM executions')).toEqual([{ status: 'failed', failure_summary: LOST }]);
  });

  it('in a setup runs neither agent nor cleanup any more, until it is asked again', async () => {
    const scripted = await givenRepos(server, [{ name: 'web', setup_script: 'echo ready; [ -e ../seen ] || { touch ../seen; sleep 600; }', cleanup_script: 'echo cleanup' }]);
    const { attempt_id } = await given('echo agent', scripted);
    await stopAndStartAgain();
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({ state: 'failed', run_reason: 'setupscript', failure_summary: LOST });
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo agent' });
    await untilEnded(client, attempt_id);
    expect(await allRawLines(client, attempt_id)).toEqual(['ready', 'ready', 'agent', 'cleanup']);
  });

  it('leaves runs in the queue that had not started; the next start takes them', async () => {
    await given('echo ready; sleep 600');
    await given('echo ready; sleep 600');
    const waiting = await givenAttempt(client, project_id, 'echo waited for');
    await stopAndStartAgain();
    expect(await untilEnded(client, waiting.attempt_id as string)).toMatchObject({ state: 'completed', final_message: 'waited for' });
  });

  it('twice ends it at once, and leaves no process all the same', async () => {
    const { execution_process_id, attempt_id } = await given('trap "" INT TERM; echo ready; while :; do sleep 0.1; done');
    const first = server.end('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await server.end('SIGTERM')).toMatchObject({ code: 1 });
    await first;
    server = await server.startAgain();
    client = await server.mcp();
    expect(processesOfRun(execution_process_id)).toEqual([]);
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({ state: 'failed', failure_summary: expect.stringContaining('runner lost') });
  });
});
