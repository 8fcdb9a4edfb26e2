import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { givenEndedAttempt, givenProject } from '../../support/board.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { GitRepository } from '../../support/git-repository.js';
import { KillingGit } from '../../support/killing-git.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { ServerProcess } from '../../support/server-process.js';
import { userCheckout } from '../../support/user-checkout.js';

/** What a push says that moves the target. */
const LANDING = '*:refs/heads/main';
/** What git is asked for in the course of a squash. Where nothing is recorded between two commands, the end of the one
 *  is the beginning of the other. */
const POINTS: ['before' | 'after', string][] = [
  ['before', 'update-index'],
  ['before', 'commit'],
  ['after', 'commit'],
  ['before', 'commit-tree'],
  ['after', 'commit-tree'],
  ['before', LANDING],
  ['after', LANDING],
  ['before', 'reset'],
  ['after', 'reset'],
];

describe('kill -9 of the server in the midst of a landing', () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
  const git = new KillingGit(path.join(dataDir, '..', `${path.basename(dataDir)}-git`));
  let database: TestDatabase;
  let server: ServerProcess;
  let client: McpClient;

  beforeAll(async () => {
    database = await createTestDatabase();
    server = await ServerProcess.start({
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      PATH: git.path,
      ISOLATION: 'none',
    });
    client = await server.mcp();
  });
  afterAll(async () => {
    await server.end();
    await database.drop();
    server.repositories.remove();
    for (const dir of [dataDir, `${dataDir}-git`]) rmSync(dir, { recursive: true });
  });

  /** The call never returns: the server dies under it. */
  async function killedIn(call: () => Promise<unknown>, when: 'before' | 'after', command: string): Promise<void> {
    git.arm(when, command, server.pid);
    const cut = call().catch((error: unknown) => error);
    expect((await server.exited).signal).toBe('SIGKILL');
    expect(git.disarm()).toBe(false);
    await server.end();
    await cut;
    server = await server.startAgain();
    client = await server.mcp();
  }

  const given = async () => {
    const { project_id, repository } = await givenProject(server);
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
    const { attempt_id, task_id } = await givenEndedAttempt(client, project_id, 'echo new > new.txt');
    const main = () => repository.git('rev-list', 'main').split('\n');
    return { attempt_id: attempt_id as string, task_id: task_id as string, repository, main };
  };
  const statesOf = async (attempt_id: string): Promise<string[]> =>
    (await server.query<Json>('SELECT state FROM deliveries WHERE attempt_id = $1 ORDER BY number', [attempt_id])).map(
      ({ state }) => state as string,
    );

  it.each(POINTS)(
    '%s git %s: it is done or not, which shows, and the same call completes it',
    async (when, command) => {
      const { attempt_id, task_id, repository, main } = await given();
      const [before, [old]] = [userCheckout(repository), main()];
      const merge = { attempt_id, request_id: `merge-${attempt_id}` };
      await killedIn(() => client.call('merge_attempt', merge), when, command);
      const landed = main().length === 2;
      expect(landed).toBe(command === 'reset' || (command === LANDING && when === 'after'));
      expect(await client.call('get_attempt_delivery', { attempt_id })).toMatchObject({
        state: landed ? 'merged' : 'ready',
        repos: [{ operation: null }],
      });
      const [{ status }] = (await client.call('merge_attempt', merge)).repos as [Json];
      expect(status).toBe(landed ? 'already_delivered' : 'landed');
      expect(main()).toEqual([expect.any(String), old]);
      expect(repository.git('show', 'main:new.txt')).toBe('new');
      const states = await statesOf(attempt_id);
      expect(states.filter((state) => state === 'merged')).toHaveLength(1);
      expect(states).not.toContain('landing');
      expect((await client.call('get_task', { task_id })).task).toMatchObject({ status: 'done' });
      expect(userCheckout(repository)).toEqual(before);
      expect((await client.call('merge_attempt', { attempt_id, action: 'undo' })).repos[0].status).toBe('undone');
      expect(main()).toEqual([old]);
    },
  );

  it.each(['before', 'after'] as const)(
    '%s the push of an undo: it is done and known, or not and repeatable',
    async (when) => {
      const { attempt_id, main } = await given();
      const [old] = main();
      await client.call('merge_attempt', { attempt_id });
      await killedIn(() => client.call('merge_attempt', { attempt_id, action: 'undo' }), when, LANDING);
      expect(main()).toHaveLength(when === 'before' ? 2 : 1);
      const undo = { attempt_id, action: 'undo' };
      if (when === 'before') expect((await client.call('merge_attempt', undo)).repos[0].status).toBe('undone');
      else expect((await client.refused('merge_attempt', undo)).code).toBe('nothing_to_undo');
      expect(await statesOf(attempt_id)).toEqual(['undone']);
      expect(main()).toEqual([old]);
      expect(await client.call('get_attempt_delivery', { attempt_id })).toMatchObject({ state: 'ready' });
    },
  );

  it.each([
    ['before', 'merge'],
    ['after', 'merge'],
  ] as const)(
    '%s git %s of an update: the conflict stands or is not begun, and can be given up',
    async (when, command) => {
      const { attempt_id, repository } = await given();
      repository.git('checkout', '--quiet', 'main');
      repository.write({ 'new.txt': 'theirs\n' });
      repository.commit('theirs');
      repository.git('checkout', '--quiet', 'elsewhere');
      const tree = path.join(dataDir, 'worktrees', attempt_id, 'web');
      const worktree = new GitRepository(tree);
      worktree.commit('ours');
      const head = worktree.head;
      await killedIn(() => client.call('update_attempt_branch', { attempt_id, action: 'start' }), when, command);
      const { repos } = await client.call('get_attempt_delivery', { attempt_id });
      expect(repos).toMatchObject([{ state: 'conflicted' }]);
      expect(repos[0].operation === null).toBe(when === 'before');
      if (when === 'before') await client.call('update_attempt_branch', { attempt_id, action: 'start' });
      await client.call('update_attempt_branch', { attempt_id, action: 'abort' });
      expect([worktree.head, worktree.git('status', '--porcelain')]).toEqual([head, '']);
    },
  );
});
