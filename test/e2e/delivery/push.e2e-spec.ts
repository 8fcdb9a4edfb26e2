import { execFileSync } from 'node:child_process';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { givenUncommittedWork, givenWorktree } from '../../support/delivery-ground.js';
import { GitRepository } from '../../support/git-repository.js';
import type { Json } from '../../support/mcp-client.js';
import { eventsOf } from '../../support/runs.js';
import { userCheckout } from '../../support/user-checkout.js';

describe('pushing an attempt', () => {
  const board = Board.share();
  let project_id: string;
  let repository: GitRepository;
  let remote: GitRepository;

  beforeEach(async () => {
    ({ project_id, repository } = await board.project());
    remote = new GitRepository(`${repository.dir}.git`);
    execFileSync('git', ['clone', '--quiet', '--bare', repository.dir, remote.dir]);
    repository.git('remote', 'add', 'origin', remote.dir);
  });

  const push = (attempt_id: string, more: object = {}) => board.kanban.call('push_attempt', { attempt_id, ...more });
  const delivery = (attempt_id: string) => board.kanban.call('get_attempt_delivery', { attempt_id });

  it('commits what is uncommitted, pushes it once, and says where it is', async () => {
    const { attempt_id, task_id } = await givenUncommittedWork(board, project_id);
    const before = userCheckout(repository);
    const pushed = await push(attempt_id, { request_id: 'push-1' });
    const [{ head, remote: there }] = pushed.repos as [Json];
    expect(pushed).toMatchObject({ attempt_id, state: 'pushed', repos: [{ status: 'pushed', error: null }] });
    expect(there).toEqual({ name: 'origin', branch: (await delivery(attempt_id)).repos[0].branch, commit: head });
    expect(remote.git('show', `${there.branch}:new.txt`)).toBe('new');
    expect(await push(attempt_id, { request_id: 'push-1' })).toEqual({ ...pushed, replayed: true });
    expect((await push(attempt_id)).repos).toMatchObject([{ status: 'up_to_date', remote: there }]);
    expect(await delivery(attempt_id)).toMatchObject({
      state: 'pushed',
      repos: [{ state: 'pushed', has_remote: true, remote: there }],
    });
    expect((await board.kanban.call('get_task', { task_id })).task).toMatchObject({ delivery_state: 'pushed' });
    expect({ ...userCheckout(repository), tracking: '' }).toEqual({ ...before, tracking: '' });
    expect((await board.audit(task_id)).filter(({ action }) => action === 'pushed')).toHaveLength(2);
    expect(await eventsOf(board.server, attempt_id)).toContain(`pushed to origin/${there.branch}`);
    const { deliveries } = await board.rest.does('GET', `/api/projects/${project_id}/deliveries`);
    expect(deliveries[1]).toMatchObject({ kind: 'push', state: 'pushed', remote: 'origin', target_after: head });
  });

  it('replaces what is there only by the commit that was read, under the ancestor’s name too', async () => {
    const { attempt_id } = await givenUncommittedWork(board, project_id);
    const { branch } = (await delivery(attempt_id)).repos[0];
    const theirs = remote.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'theirs');
    remote.git('update-ref', `refs/heads/${branch}`, theirs);
    const refused = await board.kanban.refused('push_attempt', { attempt_id });
    expect(refused).toMatchObject({ code: 'foreign_head', details: { remote_commit: theirs, branch } });
    const overwrite = { remote_commit: theirs };
    const path = `/api/attempts/${attempt_id}/push/force`;
    expect(await board.rest.does('POST', path, { overwrite })).toMatchObject({ repos: [{ status: 'pushed' }] });
    expect(await board.rest.does('POST', path, { overwrite })).toMatchObject({ repos: [{ status: 'up_to_date' }] });
    const moved = remote.git('commit-tree', 'main^{tree}', '-p', branch, '-m', 'theirs');
    remote.git('update-ref', `refs/heads/${branch}`, moved);
    const { details } = await board.rest.refuses('push_rejected', 'POST', path, { overwrite });
    expect(details.remote_commit).toBe(moved);
    await board.rest.refuses('push_rejected', 'POST', path, {});
  });

  it('pushes nothing where there is nothing, nowhere to, or an update in the way', async () => {
    const { attempt, tree } = await givenWorktree(board, project_id);
    const { attempt_id } = attempt;
    expect((await push(attempt_id)).repos).toMatchObject([{ status: 'nothing_to_deliver', remote: null }]);
    tree.write({ 'readme.md': 'ours\n' });
    tree.commit('ours');
    repository.write({ 'readme.md': 'theirs\n' });
    repository.commit('theirs');
    await board.kanban.call('update_attempt_branch', { attempt_id, action: 'start' });
    expect((await board.kanban.refused('push_attempt', { attempt_id })).code).toBe('operation_in_progress');
    await board.kanban.call('update_attempt_branch', { attempt_id, action: 'abort' });
    repository.git('remote', 'remove', 'origin');
    expect(await delivery(attempt_id)).toMatchObject({ repos: [{ has_remote: false }] });
    await board.rest.refuses('no_remote', 'POST', `/api/attempts/${attempt_id}/push`, {});
    expect(remote.branches()).toEqual(['main']);
  });

  it('merges into the branch of the remote where that is the target, and undoes it there', async () => {
    repository.git('fetch', '--quiet', 'origin');
    const { attempt_id } = await givenUncommittedWork(board, project_id);
    const path = `/api/attempts/${attempt_id}/target-branch`;
    await board.rest.does('PUT', path, { target_branch: 'origin/main' });
    const before = userCheckout(repository);
    const theirs = remote.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'theirs');
    remote.git('update-ref', 'refs/heads/main', theirs);
    expect(await delivery(attempt_id)).toMatchObject({ repos: [{ behind: 1 }] }); // however short ago it was fetched
    const merged = await board.kanban.call('merge_attempt', { attempt_id });
    expect(merged).toMatchObject({ state: 'merged', repos: [{ status: 'landed' }] });
    expect(remote.git('rev-parse', 'main')).toBe(merged.repos[0].commit);
    expect(await delivery(attempt_id)).toMatchObject({ state: 'merged', repos: [{ fetch_error: null }] });
    expect(await board.kanban.call('merge_attempt', { attempt_id, action: 'undo' })).toMatchObject({ state: 'ready' });
    expect(remote.git('rev-parse', 'main')).toBe(merged.repos[0].target_before);
    expect(userCheckout(repository)).toEqual(before);
  });
});
