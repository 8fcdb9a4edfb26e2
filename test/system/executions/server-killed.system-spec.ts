import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { allRawLines, givenAttempt, givenEndedAttempt, givenProject, untilEnded } from '../../support/board.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually, isLive, processesOfRun, processOfRun } from '../../support/eventually.js';
import { onlyWith } from '../../support/machine.js';
import type { McpClient } from '../../support/mcp-client.js';
import { eventsOf, givenRepos, runsOf, taskStatus, untilSaid } from '../../support/runs.js';
import { ServerProcess } from '../../support/server-process.js';

/** Whether somebody listens there. */
const answers = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const connection = connect(socket, () => resolve(true)).on('error', () => resolve(false));
    connection.unref();
  });

const LOST = 'runner lost: the server was restarted';
const ESCAPE = `setsid bash -c 'trap "" INT TERM HUP; echo "escaped $$"; while :; do sleep 1; done' & sleep 600`;

describe('kill -9 of the server', () => {
  let database: TestDatabase;
  let dataDir: string;
  let server: ServerProcess;
  let client: McpClient;

  beforeEach(async () => {
    database = await createTestDatabase();
    dataDir = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
    server = await ServerProcess.start({
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      MAX_CONCURRENT_EXECUTIONS: '2',
    });
    client = await server.mcp();
  });
  afterEach(async () => {
    await server.end();
    await database.drop();
    server.repositories.remove();
    rmSync(dataDir, { recursive: true });
  });

  async function killAndStartAgain(): Promise<void> {
    await server.end('SIGKILL');
    server = await server.startAgain();
    client = await server.mcp();
  }

  it('takes every process of its runs along, and the next start ends the runs, by then or at once', async () => {
    const { project_id } = await givenProject(server);
    const attempts = [await givenAttempt(client, project_id, ESCAPE), await givenAttempt(client, project_id, ESCAPE)];
    const pids = await Promise.all(
      attempts.map(async ({ attempt_id, execution_process_id }) => {
        const own = Number((await untilSaid(client, attempt_id as string, 'escaped')).split(' ')[1]);
        return processOfRun(execution_process_id as string, own);
      }),
    );
    await server.end('SIGKILL');
    await eventually(
      'the end of every process of the runs',
      () =>
        attempts.every((attempt) => processesOfRun(attempt.execution_process_id as string).length === 0) &&
        !pids.some(isLive),
    );

    server = await server.startAgain();
    client = await server.mcp();
    for (const { attempt_id, task_id } of attempts) {
      expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
        state: 'failed',
        failure_summary: LOST,
      });
      expect(await taskStatus(client, task_id as string)).toBe('inreview');
      expect(await allRawLines(client, attempt_id as string)).toEqual([expect.stringMatching(/^escaped/)]);
      expect((await eventsOf(server, attempt_id as string)).slice(-2)).toEqual([
        'codingagent failed',
        expect.stringMatching(/^goes on by itself at .+ \(infra, round 1\)$/),
      ]);
      const { page } = await client.call('tail_attempt_logs', { attempt_id });
      expect(page.entries.at(-1).entry).toMatchObject({ type: 'error_message', content: LOST, error_kind: 'stopped' });
    }
  });

  it('loses neither the message behind the lost turn nor runs that had not started', async () => {
    const { project_id } = await givenProject(server);
    const lost = await givenAttempt(client, project_id, 'echo ready; sleep 600');
    const other = await givenAttempt(client, project_id, 'echo ready; sleep 600');
    const waiting = await givenAttempt(client, project_id, 'echo waited for');
    await untilSaid(client, lost.attempt_id as string, 'ready');
    await untilSaid(client, other.attempt_id as string, 'ready');
    await client.call('follow_up', { attempt_id: lost.attempt_id, action: 'queue', prompt: 'echo after the loss' });
    await killAndStartAgain();

    expect(await untilEnded(client, lost.attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: 'after the loss',
      has_queued_message: false,
    });
    expect(await runsOf(server, lost.attempt_id as string)).toEqual(['codingagent failed', 'codingagent completed']);
    expect(await untilEnded(client, waiting.attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: 'waited for',
    });
    expect(await taskStatus(client, lost.task_id as string)).toBe('inreview');
  });

  it('in a setup leaves an attempt that a follow-up sets up again', async () => {
    const project_id = await givenRepos(server, [
      { name: 'web', setup_script: '[ -e ../seen ] && exec echo setup; touch ../seen; echo setup; sleep 600' },
    ]);
    const { attempt_id } = await givenAttempt(client, project_id, 'echo agent');
    await untilSaid(client, attempt_id as string, 'setup');
    await killAndStartAgain();
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({
      state: 'failed',
      run_reason: 'setupscript',
      failure_summary: LOST,
    });
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo agent' });
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: 'agent',
    });
    expect(await runsOf(server, attempt_id as string)).toEqual([
      'setupscript web failed',
      'setupscript web completed',
      'codingagent completed',
    ]);
  });

  onlyWith('bubblewrap').it('takes the ways out of its runs along, whose sockets the next one clears', async () => {
    const { project_id } = await givenProject(server);
    await server.rest.does('PUT', `/api/projects/${project_id}`, { network: 'listed', presets: [] });
    const run = await givenAttempt(client, project_id, 'echo listed; sleep 600');
    const execution_id = run.execution_process_id as string;
    await untilSaid(client, run.attempt_id as string, 'listed');
    const socketOf = () =>
      readdirSync('/tmp')
        .map((name) => `/tmp/${name}/${execution_id}`)
        .find((socket) => existsSync(socket));
    const socket = socketOf()!;
    expect(await answers(socket)).toBe(true);
    await server.end('SIGKILL');
    await eventually('the end of the run', () => processesOfRun(execution_id).length === 0);
    expect(await answers(socket)).toBe(false);
    server = await server.startAgain();
    client = await server.mcp();
    await givenEndedAttempt(client, project_id, 'echo again');
    expect(socketOf()).toBeUndefined();
  });

  it('many times over leaves a server that works', async () => {
    const { project_id } = await givenProject(server);
    const { attempt_id } = await givenAttempt(client, project_id, 'echo turn 0; sleep 600');
    for (const turn of [0, 1, 2]) {
      await untilSaid(client, attempt_id as string, `turn ${turn}`);
      await client.call('follow_up', {
        attempt_id,
        action: 'queue',
        prompt: turn < 2 ? `echo turn ${turn + 1}; sleep 600` : 'echo alive',
      });
      await killAndStartAgain();
    }
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: 'alive',
    });
    expect(await runsOf(server, attempt_id as string)).toEqual([
      ...Array<string>(3).fill('codingagent failed'),
      'codingagent completed',
    ]);
  });
});
