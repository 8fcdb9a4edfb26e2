import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allRawLines, givenEndedAttempt, givenProject, untilEnded } from '../../support/board.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { GitSandbox } from '../../support/git-repository.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { CLUSTER_SECRET } from '../../support/server.js';
import { untilSaid } from '../../support/runs.js';
import { ServerProcess } from '../../support/server-process.js';
import { WaitingGit } from '../../support/waiting-git.js';

/** What a push says that moves the target. */
const LANDING = '*:refs/heads/main';

const settings = {
  CLUSTER_SECRET,
  AGENT_API_URL: 'http://127.0.0.1:9',
  TASKFLOW_SERVICE_TOKEN: 'a token of at least thirty-two characters',
  INTERNAL_PORT: '0',
  INTERNAL_ADDRESS: '127.0.0.1:0',
};

describe('two servers of one database', () => {
  const git = new WaitingGit();
  const box = new GitSandbox();
  const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-lanes-'));
  let database: TestDatabase;
  let home: ServerProcess;
  let other: ServerProcess;
  let atHome: McpClient;
  let elsewhere: McpClient;

  const start = (ROLE: string): Promise<ServerProcess> =>
    ServerProcess.start(
      { ...settings, ROLE, DATABASE_URL: database.url, DATA_DIR: path.join(folder, ROLE), PATH: git.path },
      box,
    );

  beforeAll(async () => {
    database = await createTestDatabase();
    [home, other] = [await start('all'), await start('api')];
    [atHome, elsewhere] = await Promise.all([home.mcp(), other.mcp()]);
  });
  afterAll(async () => {
    git.release();
    await ServerProcess.endLeft();
    await database.drop();
    box.remove();
    git.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const given = async () => {
    const { project_id, repository } = await givenProject(home);
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
    const { attempt_id } = await givenEndedAttempt(atHome, project_id, 'echo new > new.txt');
    return { attempt_id: attempt_id as string, repository };
  };
  const statesOf = async (attempt_id: string): Promise<unknown[]> =>
    (await home.query<Json>('SELECT state FROM deliveries WHERE attempt_id = $1 ORDER BY number', [attempt_id])).map(
      ({ state }) => state,
    );

  const stateOf = async (attempt_id: string): Promise<unknown> =>
    (await home.query<Json>('SELECT delivery_state FROM attempts WHERE id = $1', [attempt_id]))[0]!.delivery_state;

  it('begin no turn while the work is delivered: a message is refused, or waits until that is over', async () => {
    const { attempt_id, repository } = await given();
    git.hold('before', 'commit-tree');
    const merge = atHome.call('merge_attempt', { attempt_id });
    await git.untilHeld();
    for (const client of [atHome, elsewhere]) {
      const refused = await client.refused('follow_up', { attempt_id, action: 'send', prompt: 'echo late > late.txt' });
      expect(refused).toMatchObject({ code: 'delivery_in_progress', retryable: true });
    }
    await other.rest.refuses('delivery_in_progress', 'POST', `/api/attempts/${attempt_id}/sessions`, {
      executor: 'SHELL',
      prompt: 'echo late > late.txt',
    });
    const prompt = 'echo after the merge; cat new.txt';
    expect(await elsewhere.call('follow_up', { attempt_id, action: 'queue', prompt })).toMatchObject({
      execution_process_id: null,
      queue_status: 'queued',
    });
    git.release();
    expect((await merge).repos).toMatchObject([{ status: 'landed' }]);
    expect(repository.git('ls-tree', '--name-only', 'main').split('\n')).not.toContain('late.txt');
    await untilSaid(atHome, attempt_id, 'after the merge');
    await untilEnded(atHome, attempt_id);
    expect(await allRawLines(atHome, attempt_id)).toEqual(expect.arrayContaining(['after the merge', 'new']));
  });

  it.each(['before', 'after'] as const)(
    'deliver an attempt one after the other: %s its branch moved, neither decides what became of it',
    async (when) => {
      const { attempt_id } = await given();
      git.hold(when, LANDING);
      const first = atHome.call('merge_attempt', { attempt_id });
      await git.untilHeld();
      const second = elsewhere.call('merge_attempt', { attempt_id });
      expect(await statesOf(attempt_id)).toEqual(['landing']);
      git.release();
      expect((await first).repos).toMatchObject([{ status: 'landed' }]);
      expect((await second).repos).toMatchObject([{ status: 'already_delivered' }]);
      expect(await statesOf(attempt_id)).toEqual(['merged']);
      const undo = await elsewhere.call('merge_attempt', { attempt_id, action: 'undo' });
      expect(undo.repos).toMatchObject([{ status: 'undone' }]);
    },
  );

  it('land what landed though its answer was lost, and undo it', async () => {
    const { attempt_id, repository } = await given();
    const old = repository.git('rev-parse', 'main');
    git.lose(LANDING, true);
    expect((await atHome.call('merge_attempt', { attempt_id })).repos).toMatchObject([{ status: 'landed' }]);
    expect(await statesOf(attempt_id)).toEqual(['merged']);
    git.lose(LANDING, true);
    const undo = await elsewhere.call('merge_attempt', { attempt_id, action: 'undo' });
    expect(undo.repos).toMatchObject([{ status: 'undone', commit: old }]);
    expect(await statesOf(attempt_id)).toEqual(['undone']);
    expect(repository.git('rev-parse', 'main')).toBe(old);
  });

  it('leave open what nobody knows: the same call lands the same commit, once', async () => {
    const { attempt_id, repository } = await given();
    const old = repository.git('rev-parse', 'main');
    git.lose(LANDING, false);
    await atHome.refused('merge_attempt', { attempt_id });
    expect((await elsewhere.call('merge_attempt', { attempt_id })).repos).toMatchObject([{ status: 'landed' }]);
    expect((await statesOf(attempt_id)).filter((state) => state !== 'failed')).toEqual(['merged']);
    expect(repository.git('rev-parse', 'main^')).toBe(old);
    await atHome.call('merge_attempt', { attempt_id, action: 'undo' });
    expect(repository.git('rev-parse', 'main')).toBe(old);
  });

  describe('of which one dies in a delivery', () => {
    /** Its git goes on, and so does the other server. */
    async function killedAfterPush(call: object): Promise<void> {
      git.hold('after', LANDING);
      const cut = atHome.call('merge_attempt', call).catch((error: unknown) => error);
      await git.untilHeld();
      await home.end('SIGKILL');
      git.release();
      await cut;
      home = await home.startAgain();
      atHome = await home.mcp();
    }

    it('find out by themselves that a merge landed, or was undone', async () => {
      const { attempt_id, repository } = await given();
      const old = repository.git('rev-parse', 'main');
      await killedAfterPush({ attempt_id });
      await eventually('the merge to be known', async () => (await statesOf(attempt_id))[0] === 'merged');
      await eventually('the task to be done', async () => (await stateOf(attempt_id)) === 'merged');
      await killedAfterPush({ attempt_id, action: 'undo' });
      await eventually('the undo to be known', async () => (await statesOf(attempt_id))[0] === 'undone');
      expect(repository.git('rev-parse', 'main')).toBe(old);
      expect((await atHome.call('merge_attempt', { attempt_id })).repos).toMatchObject([{ status: 'landed' }]);
    });

    it('run the message that waited for it', async () => {
      const { attempt_id } = await given();
      git.hold('before', 'commit-tree');
      const cut = atHome.call('merge_attempt', { attempt_id }).catch((error: unknown) => error);
      await git.untilHeld();
      await elsewhere.call('follow_up', { attempt_id, action: 'queue', prompt: 'echo nobody forgot me' });
      await home.end('SIGKILL');
      git.release();
      await cut;
      home = await home.startAgain();
      atHome = await home.mcp();
      await untilSaid(atHome, attempt_id, 'nobody forgot me');
      await untilEnded(atHome, attempt_id);
    });
  });
});
