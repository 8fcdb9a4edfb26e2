import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { givenAttempt, givenProject, untilEnded } from '../../support/board.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually, processesOfRun } from '../../support/eventually.js';
import { runsOf, untilSaid } from '../../support/runs.js';
import { CLUSTER_SECRET } from '../../support/server.js';
import { ServerProcess } from '../../support/server-process.js';

describe('a server that is stopped for a while and goes on', () => {
  let database: TestDatabase;
  let folder: string;
  let server: ServerProcess;

  beforeEach(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(path.join(tmpdir(), 'taskyard-asleep-'));
  });
  afterEach(async () => {
    await server.end();
    await database.drop();
    server.repositories.remove();
    rmSync(folder, { recursive: true });
  });

  /** A turn that beats until it is told to end. */
  async function given(settings: Record<string, string>) {
    const DATA_DIR = path.join(folder, 'data');
    server = await ServerProcess.start({ DATABASE_URL: database.url, DATA_DIR, ISOLATION: 'none', ...settings });
    const client = await server.mcp();
    const { project_id } = await givenProject(server);
    const end = path.join(folder, 'end');
    const script = `echo ready; until [ -e ${end} ]; do echo beat; sleep 0.2; done; echo done`;
    const { attempt_id, execution_process_id } = await givenAttempt(client, project_id, script);
    await untilSaid(client, attempt_id as string, 'ready');
    const release = () => writeFileSync(end, '');
    return { client, release, attempt_id: attempt_id as string, run: execution_process_id as string };
  }

  const stop = () => process.kill(server.pid, 'SIGSTOP');
  const goOn = () => process.kill(server.pid, 'SIGCONT');

  it.each([
    ['alone, for longer than a lease', {}, 13_000],
    ['one of several, for less', { CLUSTER_SECRET }, 6_000],
  ])('loses nothing where it is %s', async (_, settings, ms) => {
    const { client, release, attempt_id } = await given(settings);
    stop();
    await delay(ms);
    goOn();
    await delay(3_000); // a renewal, and a look for lost turns
    release();
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed' });
    expect(await runsOf(server, attempt_id)).toEqual(['codingagent completed']);
  });

  it('has ended what it ran where it is one of several, and a lease went by', async () => {
    const { client, attempt_id, run } = await given({ CLUSTER_SECRET });
    stop();
    await eventually('the end of the run', () => processesOfRun(run).length === 0);
    await server.query("UPDATE runners SET seen_at = now() - interval '11 seconds'");
    goOn();
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'failed' });
    expect(await runsOf(server, attempt_id)).toEqual(['codingagent failed']);
    const [end] = await server.query('SELECT failure_summary FROM executions');
    expect(end).toEqual({ failure_summary: 'runner lost: it went silent' });
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo next' });
    expect(await untilEnded(client, attempt_id)).toMatchObject({ final_message: 'next' });
  });
});
