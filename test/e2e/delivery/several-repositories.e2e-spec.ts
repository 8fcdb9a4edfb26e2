import { rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { givenWorktree } from '../../support/delivery-ground.js';
import { GitRepository } from '../../support/git-repository.js';
import { userCheckout } from '../../support/user-checkout.js';

describe('delivering from several repositories', () => {
  const board = Board.share();

  /** An attempt with uncommitted work in `api` and `web`, whose users have another branch checked out. */
  const ground = async () => {
    const repositories = [board.repository(), board.repository()] as const;
    const repos = repositories.map(({ dir }, at) => ({ path: dir, name: ['api', 'web'][at] }));
    const { project_id } = await board.rest.does('POST', '/api/projects', { name: 'Two', repos });
    repositories.forEach((repository) => repository.git('checkout', '--quiet', '-b', 'elsewhere'));
    const { attempt, tree } = await givenWorktree(board, project_id as string, 'api');
    const trees = [tree, new GitRepository(tree.dir.replace(/api$/, 'web'))] as const;
    trees.forEach((one) => one.write({ 'new.txt': 'new\n' }));
    const task_id = attempt.task_id as string;
    return { repositories, trees, attempt_id: attempt.attempt_id as string, task_id };
  };
  const lockOf = (repository: GitRepository) => `${repository.dir}/.git/refs/heads/main.lock`;
  const statuses = (repos: { repo_name: string; status: string }[]) =>
    Object.fromEntries(repos.map(({ repo_name, status }) => [repo_name, status]));

  it('looks at all before one lands', async () => {
    const { repositories, trees, attempt_id } = await ground();
    repositories[1].git('branch', '--quiet', '-D', 'main');
    const before = repositories.map(userCheckout);
    const api = repositories[0].git('rev-parse', 'main');
    expect((await board.kanban.refused('merge_attempt', { attempt_id })).code).toBe('branch_unknown');
    expect(repositories[0].git('rev-parse', 'main')).toBe(api);
    expect(repositories.map(userCheckout)).toEqual(before);
    expect(trees.map((tree) => tree.git('status', '--porcelain'))).toEqual(['', '']); // it was committed first
  });

  it('keeps what has landed, says so, and goes on with the rest; the task waits for the last', async () => {
    const { repositories, attempt_id, task_id } = await ground();
    writeFileSync(lockOf(repositories[1]), '');
    const refused = await board.kanban.refused('merge_attempt', { attempt_id });
    expect(refused).toMatchObject({ code: 'partly_delivered', retryable: true, details: { repo_name: 'web' } });
    expect(statuses(refused.details.repos)).toEqual({ api: 'landed', web: 'failed' });
    expect(refused.details.repos[1].error).toMatchObject({ retryable: true, hint: expect.stringMatching(/\S/) });
    expect(await board.kanban.call('get_attempt_delivery', { attempt_id })).toMatchObject({
      state: 'partly_delivered',
      repos: [
        { repo_name: 'api', state: 'merged' },
        { repo_name: 'web', state: 'ready' },
      ],
    });
    expect(await board.read(task_id)).toMatchObject({ status: 'todo', delivery_state: 'partly_delivered' });
    rmSync(lockOf(repositories[1]));
    const again = await board.kanban.call('merge_attempt', { attempt_id });
    expect(again.state).toBe('merged');
    expect(statuses(again.repos)).toEqual({ api: 'already_delivered', web: 'landed' });
    expect((await board.read(task_id)).status).toBe('done');
    const undone = await board.kanban.call('merge_attempt', { attempt_id, action: 'undo' });
    expect(statuses(undone.repos)).toEqual({ api: 'undone', web: 'undone' });
    expect((await board.read(task_id)).status).toBe('inreview');
  });

  it('merges those that are named, and the task waits for the others', async () => {
    const { attempt_id, task_id } = await ground();
    const { repos } = await board.kanban.call('get_attempt_delivery', { attempt_id });
    const merge = (repo_id: string) => board.kanban.call('merge_attempt', { attempt_id, repo_ids: [repo_id] });
    expect(await merge(repos[1].repo_id)).toMatchObject({ state: 'partly_delivered', repos: [{ repo_name: 'web' }] });
    expect((await board.read(task_id)).status).toBe('todo');
    expect(await merge(repos[0].repo_id)).toMatchObject({ state: 'merged' });
    expect((await board.read(task_id)).status).toBe('done');
  });

  it.each([
    ['moved', true, 'already_delivered'],
    ['stood still', false, 'landed'],
  ])('decides a landing that was cut short where the branch had %s', async (_, hasMoved, status) => {
    const { repositories, attempt_id } = await ground();
    const [first] = (await board.kanban.call('get_attempt_delivery', { attempt_id })).repos;
    const choice = { attempt_id, repo_ids: [first.repo_id] };
    const main = repositories[0].git('rev-parse', 'main');
    await board.kanban.call('merge_attempt', choice);
    // As a killed server leaves it: the row is undecided, whatever became of the branch.
    await board.server.query(`UPDATE deliveries SET state = 'landing' WHERE attempt_id = $1`, [attempt_id]);
    if (!hasMoved) repositories[0].git('update-ref', 'refs/heads/main', main);
    expect((await board.kanban.call('merge_attempt', choice)).repos[0].status).toBe(status);
    const rows = await board.server.query<{ state: string }>(
      `SELECT state FROM deliveries WHERE attempt_id = $1 ORDER BY number`,
      [attempt_id],
    );
    expect(rows.map(({ state }) => state)).toEqual(hasMoved ? ['merged'] : ['failed', 'merged']);
  });
});
