import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenAttempt, givenEndedAttempt, givenProject, type Project, untilEnded } from '../../support/board.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { untilSaid } from '../../support/runs.js';
import { ServerProcess } from '../../support/server-process.js';

const FILES = { 'a.txt': 'one\n', '.gitignore': '*.log\n' };

/** One process that serves, and runners that come and go, each with a folder of its own as on another machine. */
describe('work in a cluster', () => {
  let database: TestDatabase;
  let folder: string;
  let api: ServerProcess;
  let client: McpClient;
  let project: Project;
  const runners: ServerProcess[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(path.join(tmpdir(), 'taskyard-cluster-'));
    api = await ServerProcess.start(settingsOf('api', { ROLE: 'api' }));
    client = await api.mcp();
    await runner('one');
    project = await givenProject(api, { setup_script: 'echo built > built.log', files: FILES });
  });
  afterAll(async () => {
    await Promise.all([api, ...runners].map((server) => server.end('SIGKILL')));
    await database.drop();
    api.repositories.remove();
    rmSync(folder, { recursive: true });
  });

  const settingsOf = (name: string, more: Record<string, string>): Record<string, string> => ({
    DATABASE_URL: database.url,
    DATA_DIR: path.join(folder, name),
    CLUSTER_SECRET: 'a secret of at least thirty-two characters',
    TASKFLOW_SERVICE_TOKEN: 'a token of at least thirty-two characters',
    INTERNAL_PORT: '0',
    INTERNAL_ADDRESS: '127.0.0.1:0',
    RUNNER_LOST_SECS: '3',
    WORKSPACE_SAVE_SECS: '1',
    AGENT_API_URL: 'http://127.0.0.1:9',
    ...more,
  });
  const runner = async (name: string) => {
    const started = await ServerProcess.start(settingsOf(name, { ROLE: 'runner' }), api.repositories);
    runners.push(started);
    await eventually('its address', async () => {
      const rows = await api.query(
        `SELECT runner_id FROM runners WHERE address LIKE '%:0' AND role = 'runner' AND left_at IS NULL`,
      );
      return rows.length === 0;
    });
    return started;
  };
  const filesOf = async (attempt_id: unknown): Promise<unknown> =>
    (await client.call('get_attempt_changes', { attempt_id })).files;
  const changesOf = (attempt_id: unknown) => api.rest.get(`/api/attempts/${attempt_id as string}/changes`);
  const moves = async (attempt_id: unknown) =>
    (
      await api.query<{ metadata: Json }>(
        `SELECT entry.value -> 'metadata' AS metadata
       FROM log_chunks c, jsonb_array_elements(c.entries) entry
       WHERE c.attempt_id = $1 AND c.channel = 'events' AND entry.value ->> 'type' = 'moved'`,
        [attempt_id],
      )
    ).map(({ metadata }) => metadata);
  /** Whether what is not committed is saved. */
  const isSaved = async (attempt_id: unknown) =>
    (await api.query('SELECT 1 FROM workspace_snapshots WHERE attempt_id = $1 AND work IS NOT NULL', [attempt_id]))
      .length > 0;

  it('is read and delivered by a process without a disk of its own', async () => {
    const { attempt_id } = await givenEndedAttempt(
      client,
      project.project_id,
      'echo new > new.txt; echo more >> a.txt',
    );
    expect(await filesOf(attempt_id)).toEqual(['web/a.txt', 'web/new.txt']);
    expect(await client.call('get_attempt_file', { attempt_id, path: 'web/new.txt' })).toMatchObject({
      content: 'new\n',
    });
    const { patch } = await client.call('get_attempt_patch', { attempt_id, paths: ['web'] });
    expect(patch).toContain('+new');
    expect(await client.call('merge_attempt', { attempt_id, checked_out: 'update' })).toMatchObject({
      state: 'merged',
    });
    expect(project.repository.git('show', 'main:new.txt')).toBe('new');
    expect(existsSync(path.join(folder, 'api'))).toBe(false);
  });

  it('says so where its home hangs, and goes on when that wakes', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project.project_id, 'echo new > new.txt');
    process.kill(runners[0]!.pid, 'SIGSTOP');
    const refusal = await client.refused('get_attempt_changes', { attempt_id });
    process.kill(runners[0]!.pid, 'SIGCONT');
    expect(refusal).toMatchObject({ code: 'workspace_unavailable', retryable: true });
    await eventually('the worktree again', async () => (await changesOf(attempt_id)).status === 200);
  });

  it('is saved while the first turn of an attempt lives', async () => {
    const { project_id } = await givenProject(api, { name: 'Without a setup' });
    const live = await givenAttempt(client, project_id, 'echo half > half.txt; echo ready; sleep 600');
    await eventually('a save of it', () => isSaved(live.attempt_id));
    await client.call('stop_attempt', { attempt_id: live.attempt_id, force: true });
  });

  it('goes on where its home is killed: commits, uncommitted and untracked files, as of the last save', async () => {
    const ended = await givenEndedAttempt(
      client,
      project.project_id,
      'echo done > done.txt; git add done.txt; git commit -qm Done; echo more >> a.txt; echo new > own.txt',
    );
    const live = await givenAttempt(client, project.project_id, 'echo half > half.txt; echo ready; sleep 600');
    await untilSaid(client, live.attempt_id as string, 'ready');
    await eventually('a save of the live one', () => isSaved(live.attempt_id));
    const [lost] = runners.splice(0);
    const home = lost!;
    await home.end('SIGKILL');
    const next = await runner('two');
    const files = await eventually(
      'the worktree on the other runner',
      async () => (await changesOf(ended.attempt_id)).body.files as string[] | undefined,
    );
    expect(files).toEqual(['web/a.txt', 'web/done.txt', 'web/own.txt']);
    const [move] = await moves(ended.attempt_id);
    expect(move).toMatchObject({ from: expect.any(String), to: expect.any(String), saved_at: expect.any(String) });
    expect(next.pid).not.toBe(home.pid);
    await client.call('follow_up', {
      attempt_id: ended.attempt_id,
      action: 'send',
      prompt: 'cat own.txt built.log; git log -1',
    });
    expect(await untilEnded(client, ended.attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: expect.stringMatching(/^new\nbuilt\n[^]*Done/),
    });
    await eventually('the half of the other one', async () =>
      ((await changesOf(live.attempt_id)).body.files as string[] | undefined)?.includes('web/half.txt'),
    );
  });
});
