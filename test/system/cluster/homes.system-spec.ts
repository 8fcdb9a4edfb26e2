import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { givenEndedAttempt, givenProject, untilEnded } from '../../support/board.js';
import { ClusterGround } from '../../support/cluster-ground.js';
import { passKeptDay } from '../../support/deleted-tasks.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/mcp-client.js';

describe('the home of an attempt', () => {
  const ground = ClusterGround.use();
  let project_id: string;
  let attempt_id: string;

  const states = async (): Promise<string[]> => {
    const { runners } = (await ground.api.rest.does('GET', '/api/runners')) as { runners: Json[] };
    return runners.filter(({ role }) => role === 'runner').map(({ state }) => String(state));
  };
  /** As where its runner ended in the moment before it was written as the home. */
  const forgetHome = (attempt_id: string) =>
    ground.api.query(`UPDATE attempts SET runner_id = NULL, workspace_state = 'preparing' WHERE id = $1`, [attempt_id]);
  const prune = () =>
    ground.api.query(`INSERT INTO queue.job (name, data, policy) SELECT 'prune_records', '{}', policy
                      FROM queue.queue WHERE name = 'prune_records'`);

  beforeAll(async () => {
    await ground.runner('first', { EXECUTORS: 'SHELL' });
    ({ project_id } = await givenProject(ground.api, { files: { 'a.txt': 'a\n' } }));
    ({ attempt_id } = (await givenEndedAttempt(ground.client, project_id, 'echo work > work.txt')) as {
      attempt_id: string;
    });
  });

  it('is known as left after an orderly end, and is no lost runner', async () => {
    await ground.end('first');
    expect(await states()).toEqual(['left']);
    const metrics = await (await fetch(`${ground.api.url}/metrics`)).text();
    expect(metrics).toMatch(/^taskyard_runners\{role="api",state="ready"\} 1$/m);
    expect(metrics).not.toMatch(/^taskyard_runners\{role="runner"/m);
  });

  it('holds up no follow-up where a reader made one of a runner without its executor', async () => {
    await ground.runner('reader', { EXECUTORS: 'DEMO' });
    const { files } = await ground.client.call('get_attempt_changes', { attempt_id });
    expect(files).toEqual(['web/work.txt']);
    await ground.runner('able', { EXECUTORS: 'SHELL' });
    await ground.client.call('follow_up', { attempt_id, action: 'send', prompt: 'cat work.txt' });
    expect(await untilEnded(ground.client, attempt_id)).toMatchObject({ state: 'completed', final_message: 'work' });
  });

  it('is forgotten once it has left and is nobody’s home', async () => {
    await prune();
    await eventually('the first to be forgotten', async () => (await states()).join() === 'ready,ready');
    await ground.end('able');
    await prune();
    await eventually('the prune', async () => {
      const open = await ground.api.query(
        "SELECT 1 FROM queue.job WHERE name = 'prune_records' AND state < 'completed'",
      );
      return open.length === 0;
    });
    expect(await states()).toEqual(['ready', 'left']); // it is still the home of the attempt
  });

  it('leaves nothing of deleted tasks on any runner, where none is known as the home', async () => {
    await ground.runner('other', { EXECUTORS: 'SHELL' });
    const begun: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      const { attempt_id, task_id } = await givenEndedAttempt(ground.client, project_id);
      begun.push(ground.path('other', 'worktrees', attempt_id));
      await forgetHome(attempt_id);
      await ground.client.call('delete_task', { task_id });
    }
    expect(begun.filter((folder) => existsSync(folder))).toEqual(begun);
    await passKeptDay(ground.api.database);
    await eventually('all worktrees to go', () => !begun.some((folder) => existsSync(folder)));
  });

  it('leaves nothing on a runner that was back before another one became the home', async () => {
    const taker = readFileSync(ground.path('reader', 'runner-id'), 'utf8').trim();
    const settle = (attempt_id: string) =>
      ground.api.query(`UPDATE attempts SET runner_id = $2, workspace_state = 'ready' WHERE id = $1`, [
        attempt_id,
        taker,
      ]);
    const folderOf = (attempt_id: string) => ground.path('other', 'worktrees', attempt_id);
    const { attempt_id: moved } = await givenEndedAttempt(ground.client, project_id);
    const { attempt_id: begun } = await givenEndedAttempt(ground.client, project_id);
    await ground.end('other');
    await settle(moved);
    await forgetHome(begun);
    await ground.runner('other', { EXECUTORS: 'SHELL' });
    await eventually('its first look to be over', () => !existsSync(folderOf(moved)));
    expect(existsSync(folderOf(begun))).toBe(true); // it may become the home
    await settle(begun);
    await eventually('the worktree to go', () => !existsSync(folderOf(begun)));
  });
});
