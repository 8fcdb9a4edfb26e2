import { execFileSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitHttpServer } from '../../test/support/git-http-server.js';
import { GitRepository } from '../../test/support/git-repository.js';
import { userCheckout } from '../../test/support/user-checkout.js';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import type { Workspace } from './workspace-host.js';

describe('targets on remotes', () => {
  let box: WorkspaceSandbox;
  let remote: GitRepository;
  let host: WorkspaceSandbox['host'];
  beforeEach(() => {
    box = new WorkspaceSandbox();
    const first = box.repository('first', { 'a.txt': 'one\n' });
    remote = new GitRepository(box.path('remote.git'));
    execFileSync('git', ['clone', '--quiet', '--bare', first.dir, remote.dir]);
    host = box.host;
  });
  afterEach(() => box.remove());

  /** Another host knows nothing of what this one has just fetched. */
  const later = () => {
    host = new WorkspaceSandbox({ within: box, dataDir: box.dataDir }).host;
  };
  const moveThere = (branch = 'main'): string => {
    const commit = remote.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'theirs');
    remote.git('update-ref', `refs/heads/${branch}`, commit);
    later();
    return commit;
  };
  const cloned = async (target = 'main'): Promise<Workspace> => {
    const { root } = await host.clone(remote.dir, '0198c0de-0000-7000-8000-000000000001');
    return workspaceOf(root, target);
  };
  const workspaceOf = (dir: string, target: string): Workspace => {
    const made = box.workspace([new GitRepository(dir)], target);
    return { ...made, repos: [{ ...made.repos[0]!, repo_name: 'app' }] };
  };
  const prepare = async (workspace: Workspace): Promise<Workspace> => {
    const bases = await host.prepare(workspace);
    return { ...workspace, repos: [{ ...workspace.repos[0]!, base_commit: bases.app! }] };
  };
  const checkedOut = () => {
    const repository = new GitRepository(box.path('user'));
    execFileSync('git', ['clone', '--quiet', remote.dir, repository.dir]);
    repository.git('checkout', '--quiet', '-b', 'mine');
    repository.git('branch', '--quiet', '-D', 'main');
    return repository;
  };
  const standing = async (workspace: Workspace, fetching: 'must' | 'try' = 'must') =>
    (await host.standing(workspace, fetching))[0]!;
  const committed = (workspace: Workspace): string => {
    const tree = box.tree(workspace, 'app');
    tree.write({ 'new.txt': 'new\n' });
    return tree.commit('ours');
  };
  const landing = async (workspace: Workspace) => {
    const { head, target, preview } = await standing(workspace);
    const work = { source_commit: head, target_commit: target!.commit, tree: preview!.tree!, message: 'ours\n' };
    const to = await host.makeLanding(workspace, { repo_name: 'app', strategy: 'squash', ...work });
    return { repo_name: 'app', from: target!.commit, to, with_checkout: false };
  };

  it('starts in a clone where the remote is now, also on a branch that the clone never had', async () => {
    const workspace = await cloned();
    const commit = moveThere();
    expect((await prepare(workspace)).repos[0]!.base_commit).toBe(commit);
    remote.git('branch', 'fresh', commit);
    const { repo_path } = workspace.repos[0]!;
    expect(await host.branchExists(repo_path, 'fresh')).toBe(true);
    expect(await host.branchExists(repo_path, 'none')).toBe(false);
    const other = await prepare(workspaceOf(repo_path, 'fresh'));
    expect(other.repos[0]!.base_commit).toBe(commit);
  });

  it('knows the branches that the remote has now, and those of the clone where it cannot be asked', async () => {
    const { repos } = await cloned();
    remote.git('branch', 'a-fresh');
    const branches = (limit: number) => host.branches(repos[0]!.repo_path, limit);
    expect([await branches(5), await branches(1)]).toEqual([['main', 'a-fresh'], ['main']]);
    renameSync(remote.dir, `${remote.dir}.away`);
    expect(await branches(5)).toEqual(['main']);
  });

  it.each(['origin/main', 'main'])(
    'fetches %s of a repository of the user, and moves none of its refs',
    async (name) => {
      const repository = checkedOut();
      const before = userCheckout(repository);
      const workspace = await prepare(workspaceOf(repository.dir, name));
      committed(workspace);
      const commit = moveThere();
      expect(await standing(workspace)).toMatchObject({
        behind: 1,
        ahead: 1,
        target: { commit, remote: 'origin', branch: 'main' },
      });
      expect((await host.updateBranch(workspace, { repo_name: 'app', method: 'merge', message: 'Work' })).outcome).toBe(
        'updated',
      );
      expect(userCheckout(repository)).toEqual(before);
    },
  );

  it('lands on the remote by compare and swap, and shows it at once', async () => {
    const workspace = await prepare(await cloned());
    committed(workspace);
    const stale = await landing(workspace);
    moveThere();
    expect(await host.land(workspace, stale)).toEqual({ outcome: 'moved' });
    const move = await landing(workspace);
    expect(await host.land(workspace, move)).toEqual({ outcome: 'landed' });
    expect(remote.git('rev-parse', 'main')).toBe(move.to);
    expect(await host.checkout(workspace, 'app')).toBeNull();
    expect(await host.targetTip(workspace, 'app', move.to)).toEqual({ tip: move.to, holds: true });
    expect(await standing(workspace)).toMatchObject({ is_contained: true, target: { commit: move.to } });
  });

  it.each([true, false])('sees that the target is gone from the remote (clone: %s)', async (isClone) => {
    const workspace = await prepare(isClone ? await cloned() : workspaceOf(checkedOut().dir, 'origin/main'));
    remote.git('branch', '-m', 'main', 'trunk');
    later();
    expect(await standing(workspace)).toMatchObject({ target: null, preview: null, fetch_error: null });
    await expect(
      host.updateBranch(workspace, { repo_name: 'app', method: 'merge', message: 'Work' }),
    ).rejects.toMatchObject({
      code: 'branch_unknown',
    });
  });

  it('shows what is known where the remote cannot be asked, and refuses to act on it', async () => {
    const workspace = await prepare(workspaceOf(checkedOut().dir, 'origin/main'));
    renameSync(remote.dir, box.path('away.git'));
    later();
    expect(await standing(workspace, 'try')).toMatchObject({
      target: { branch: 'main' },
      fetch_error: expect.stringContaining('has no such repository'),
    });
    await expect(standing(workspace)).rejects.toMatchObject({ code: 'remote_not_found' });
    await expect(prepare(workspaceOf(workspace.repos[0]!.repo_path, 'origin/main'))).rejects.toMatchObject({
      code: 'remote_not_found',
    });
    expect(existsSync(box.path('data/worktrees'))).toBe(true);
  });

  it('shares one fetch among many that look at once', async () => {
    const server = await GitHttpServer.start(box.dir);
    const access = { REPOSITORY_HOSTS: [server.host] };
    host = new WorkspaceSandbox({ within: box, dataDir: box.dataDir, access }).host;
    const repository = checkedOut();
    repository.git('remote', 'set-url', 'origin', `http://${server.host}/remote.git`);
    const workspace = await prepare(workspaceOf(repository.dir, 'origin/main'));
    await Promise.all(Array.from({ length: 10 }, () => standing(workspace, 'try')));
    expect(server.requests.filter((url) => url.includes('info/refs'))).toHaveLength(1);
    await server.stop();
  });
});
