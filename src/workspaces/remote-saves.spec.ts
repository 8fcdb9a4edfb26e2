import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitHttpServer } from '../../test/support/git-http-server.js';
import { GitRepository } from '../../test/support/git-repository.js';
import { userCheckout } from '../../test/support/user-checkout.js';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import type { RepositorySnapshot } from './saved-work.js';
import type { Workspace } from './workspace-host.js';

const PASSWORD = 's3cret=%&';

describe('the work of an attempt, saved in the remote of its repository', () => {
  let box: WorkspaceSandbox;
  let server: GitHttpServer;
  let remote: GitRepository;
  let app: GitRepository;
  let here: WorkspaceSandbox;
  let there: WorkspaceSandbox;
  let workspace: Workspace;
  let tree: GitRepository;

  beforeEach(async () => {
    box = new WorkspaceSandbox();
    app = box.repository('app', { 'a.txt': 'one\n' });
    remote = new GitRepository(box.path('remote.git'));
    execFileSync('git', ['clone', '--quiet', '--bare', app.dir, remote.dir]);
    remote.git('config', 'http.receivepack', 'true');
    server = await GitHttpServer.start(box.dir, { password: PASSWORD });
    app.git('remote', 'add', 'origin', `http://${server.host}/remote.git`);
    [here, there] = [runner('here'), runner('there')];
    workspace = await here.prepared(app);
    tree = here.tree(workspace);
  });
  afterEach(async () => {
    await server.stop();
    box.remove();
  });

  const runner = (owner: string, GIT_REMOTE_TIMEOUT_SECS = 120): WorkspaceSandbox =>
    new WorkspaceSandbox({
      within: box,
      dataDir: box.path(owner, 'data'),
      owner,
      access: { REPOSITORY_HOSTS: [server.host], GIT_REMOTE_TIMEOUT_SECS },
      credentials: { find: () => Promise.resolve({ username: 'user', password: PASSWORD }) },
    });
  const save = async (of = here, at = workspace, more: { maxBytes?: number } = {}): Promise<RepositorySnapshot> => {
    const options = { known: {}, maxBytes: 50_000_000, store: 'remote' as const, ...more };
    const [snapshot] = await of.host.snapshot(at, options);
    return snapshot!;
  };
  const saves = (): string[] => remote.git('for-each-ref', '--format=%(refname)', 'refs/taskyard').split('\n');
  /** The repository on the machine of the other runner. */
  const cloned = (): Workspace => {
    const clone = box.path('there', 'app');
    execFileSync('git', ['clone', '-q', '--no-local', remote.dir, clone]);
    execFileSync('git', ['-C', clone, 'remote', 'set-url', 'origin', `http://${server.host}/remote.git`]);
    return { ...workspace, repos: workspace.repos.map((repo) => ({ ...repo, repo_path: clone })) };
  };
  const work = (): void => {
    tree.write({ 'c.txt': 'committed\n' });
    tree.commit('A commit of the agent');
    tree.write({ 'a.txt': 'staged\n' });
    tree.git('add', 'a.txt');
    tree.write({ 'a.txt': 'changed\n', 'new.txt': 'untracked\n' });
  };

  it('goes on in another clone: commits, index and files; branches of the user do not move', async () => {
    work();
    const [mine, theirs] = [userCheckout(app), remote.git('for-each-ref', 'refs/heads')];
    const snapshot = await save();
    expect(snapshot).toMatchObject({ bundle: null, remote_failure: null, is_too_large: false });
    expect(saves()).toEqual([`${snapshot.remote}/branch`, `${snapshot.remote}/work`]);
    expect([userCheckout(app), remote.git('for-each-ref', 'refs/heads')]).toEqual([mine, theirs]);
    const moved = cloned();
    await there.host.rebuild(moved, { from: 'here', snapshots: [snapshot] });
    const rebuilt = there.tree(moved);
    expect(rebuilt.git('status', '--porcelain')).toBe(tree.git('status', '--porcelain'));
    expect(rebuilt.git('diff', 'HEAD')).toBe(tree.git('diff', 'HEAD'));
    expect(rebuilt.head).toBe(tree.head);
  });

  it('is a new save each time, and those of others stay as they are', async () => {
    work();
    const first = await save();
    const moved = cloned();
    await there.host.rebuild(moved, { from: 'here', snapshots: [first] });
    there.tree(moved).write({ 'new.txt': 'of the new home\n' });
    const second = await save(there, moved);
    const newest = remote.git('rev-parse', `${second.remote}/work`);
    tree.write({ 'new.txt': 'of a home that does not know that it was lost\n' });
    const third = await save();
    expect(new Set([first.remote, second.remote, third.remote]).size).toBe(3);
    expect(remote.git('rev-parse', `${second.remote}/work`)).toBe(newest);
    await here.host.forgetSaves(workspace, [{ repo_name: 'app', remote: first.remote! }]);
    expect(saves()).toHaveLength(4);
    await there.host.forgetSaves(moved, 'all');
    expect(saves()).toEqual(['']);
  });

  it('is nothing new where it is too large', async () => {
    tree.write({ 'large.bin': Buffer.from(Array.from({ length: 50_000 }, () => Math.floor(Math.random() * 256))) });
    expect(await save(here, workspace, { maxBytes: 10_000 })).toMatchObject({
      ...{ is_too_large: true, bundle: null, remote: null, head: workspace.repos[0]!.base_commit },
    });
    expect(saves()).toEqual(['']);
  });

  it('is a bundle where there is no remote', async () => {
    work();
    app.git('remote', 'remove', 'origin');
    expect(await save()).toMatchObject({
      ...{ remote: null, bundle: expect.any(Buffer), remote_failure: expect.stringContaining('remote') },
    });
  });

  it('is a bundle where the remote refuses, with its words', async () => {
    work();
    writeFileSync(`${remote.dir}/hooks/pre-receive`, '#!/bin/sh\necho "Only branches here" >&2\nexit 1\n');
    chmodSync(`${remote.dir}/hooks/pre-receive`, 0o755);
    const snapshot = await save();
    expect(snapshot).toMatchObject({ remote: null, remote_failure: expect.stringContaining('Only branches here') });
    const moved = cloned();
    await there.host.rebuild(moved, { from: 'here', snapshots: [snapshot] });
    expect(there.tree(moved).git('status', '--porcelain')).toBe(tree.git('status', '--porcelain'));
  });

  it.each(['hang', 'cut', 502] as const)(
    'is a bundle where the remote answers by %s, which rests then',
    async (fault) => {
      work();
      const impatient = runner('here', 5);
      server.fault = fault;
      expect(await save(impatient)).toMatchObject({
        remote: null,
        bundle: expect.any(Buffer),
        remote_failure: expect.any(String),
      });
      const asked = server.requests.length;
      expect(asked).toBeGreaterThan(0);
      tree.write({ 'new.txt': 'newer\n' });
      expect(await save(impatient)).toMatchObject({ remote: null, bundle: expect.any(Buffer) });
      expect(server.requests).toHaveLength(asked);
    },
  );

  it('cannot be restored from a remote that lost it', async () => {
    work();
    const snapshot = await save();
    await here.host.forgetSaves(workspace, 'all');
    await expect(there.host.rebuild(cloned(), { from: 'here', snapshots: [snapshot] })).rejects.toMatchObject({
      code: 'workspace_lost',
    });
  });
});
