import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitHttpServer } from '../../test/support/git-http-server.js';
import { GitRepository } from '../../test/support/git-repository.js';
import { userCheckout } from '../../test/support/user-checkout.js';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import type { Workspace } from './workspace-host.js';
import { onlyWith } from '../../test/support/machine.js';

const PASSWORD = 's3cret=%&';

describe('pushing the branch of an attempt', () => {
  let box: WorkspaceSandbox;
  let remote: GitRepository;
  let repository: GitRepository;
  let workspace: Workspace;
  let tree: GitRepository;

  beforeEach(async () => {
    box = new WorkspaceSandbox();
    repository = box.repository('app', { 'a.txt': 'one\n' });
    remote = new GitRepository(box.path('remote.git'));
    execFileSync('git', ['clone', '--quiet', '--bare', repository.dir, remote.dir]);
    remote.git('config', 'http.receivepack', 'true');
    repository.git('remote', 'add', 'origin', remote.dir);
    repository.git('fetch', '--quiet', 'origin');
    workspace = await box.prepared(repository);
    tree = box.tree(workspace);
  });
  afterEach(() => box.remove());

  const work = (name = 'new.txt', content = `${name}\n`): string => {
    tree.write({ [name]: content });
    return tree.commit(name);
  };
  const push = (last: string | null = null, overwrite: string | null = null, host = box.host) =>
    host.push(workspace, { repo_name: 'app', branch: workspace.branch, head: tree.head, last, overwrite });
  const there = () => remote.git('rev-parse', workspace.branch);
  /** Somebody else commits to the branch on the remote. */
  const moveThere = (onto = `refs/heads/${workspace.branch}`): string => {
    const commit = remote.git('commit-tree', `${onto}^{tree}`, '-p', onto, '-m', 'theirs');
    remote.git('update-ref', `refs/heads/${workspace.branch}`, commit);
    return commit;
  };

  it('makes the branch there, moves it along, and nothing of the user but its tracking ref', async () => {
    const before = userCheckout(repository);
    const first = work();
    expect(await push()).toEqual({ remote: 'origin', branch: workspace.branch, before: null, commit: first });
    const second = work('more.txt');
    expect(await push(first)).toMatchObject({ before: first, commit: second });
    expect(there()).toBe(second);
    expect(await push(second)).toMatchObject({ before: second, commit: second });
    const own = `refs/remotes/origin/${workspace.branch} ${second}`;
    const after = userCheckout(repository);
    expect(after).toEqual({ ...before, tracking: expect.stringContaining(own) });
    expect(after.tracking!.split('\n').filter((line) => line !== own)).toEqual(before.tracking!.split('\n'));
  });

  it('loses nothing that others pushed: a foreign branch, and commits it does not hold', async () => {
    const theirs = moveThere('refs/heads/main');
    const first = work();
    await expect(push()).rejects.toMatchObject({ code: 'foreign_head', details: { remote_commit: theirs } });
    await expect(push(null, tree.git('rev-parse', 'main'))).rejects.toMatchObject({ code: 'foreign_head' });
    expect(there()).toBe(theirs);
    for (const other of ['abc', first.slice(0, 8), theirs.slice(0, 6)])
      await expect(push(null, other)).rejects.toMatchObject({
        code: 'foreign_head',
        details: { remote_commit: theirs },
      });
    expect(await push(null, theirs.slice(0, 7))).toMatchObject({ before: theirs, commit: first });
    const moved = moveThere();
    work('more.txt');
    await expect(push(first)).rejects.toMatchObject({ code: 'push_rejected', details: { remote_commit: moved } });
    const target_branch = `origin/${workspace.branch}`;
    await box.host.updateBranch(workspace, { repo_name: 'app', method: 'merge', target_branch, message: 'Work' });
    expect(await push(first)).toMatchObject({ before: moved, commit: tree.head });
  });

  it('asks before it rewrites what it pushed itself, and makes a branch again that was deleted there', async () => {
    const first = work();
    await push();
    tree.git('commit', '--quiet', '--amend', '--message', 'other');
    await expect(push(first)).rejects.toMatchObject({ code: 'push_rejected', details: { remote_commit: first } });
    expect(await push(first, first)).toMatchObject({ before: first });
    const second = there();
    remote.git('update-ref', '-d', `refs/heads/${workspace.branch}`);
    expect(await push(second)).toMatchObject({ before: null, commit: second });
  });

  it('needs a remote, and takes the only one', async () => {
    work();
    repository.git('remote', 'rename', 'origin', 'upstream');
    expect(await push()).toMatchObject({ remote: 'upstream' });
    repository.git('remote', 'add', 'fork', remote.dir);
    await expect(push()).rejects.toMatchObject({ code: 'no_remote' });
    repository.git('remote', 'remove', 'fork');
    repository.git('remote', 'remove', 'upstream');
    await expect(push()).rejects.toMatchObject({ code: 'no_remote' });
  });

  it('does not run hooks of a folder, nor go round them, nor programs that the repository names', async () => {
    work();
    for (const key of ['remote.origin.receivepack', 'core.sshCommand', 'core.alternateRefsCommand'])
      repository.git('config', key, `touch ${box.path('ran')};`);
    expect(await push()).toMatchObject({ commit: tree.head });
    writeFileSync(`${remote.dir}/hooks/pre-receive`, `#!/bin/sh\ntouch ${box.path('ran')}\n`);
    chmodSync(`${remote.dir}/hooks/pre-receive`, 0o755);
    work('more.txt');
    await expect(push()).rejects.toMatchObject({
      code: 'remote_refused',
      details: { message: expect.stringContaining('pre-receive') },
    });
    expect(readdirSync(box.dir)).not.toContain('ran');
  });

  it('tells a locked branch and a remote that is gone', async () => {
    const first = work();
    await push();
    work('more.txt');
    const lock = `${remote.dir}/refs/heads/${workspace.branch}.lock`;
    writeFileSync(lock, '');
    await expect(push(first)).rejects.toMatchObject({ code: 'repo_locked' });
    expect(there()).toBe(first);
    repository.git('remote', 'set-url', 'origin', box.path('nowhere.git'));
    await expect(push(first)).rejects.toMatchObject({ code: 'remote_not_found' });
  });

  onlyWith('git-lfs').it('sends what Git LFS holds before the branch', async () => {
    tree.write({ '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' });
    tree.git('-c', 'filter.lfs.clean=git-lfs clean -- %f', 'add', '--all');
    tree.write({ 'a.bin': Buffer.alloc(2_000, 7) });
    tree.git('-c', 'filter.lfs.clean=git-lfs clean -- %f', 'add', '--all');
    tree.git('commit', '--quiet', '--message', 'large');
    expect(tree.git('show', 'HEAD:a.bin')).toContain('git-lfs');
    await push();
    const [, id = ''] = /oid sha256:(\w+)/.exec(tree.git('show', 'HEAD:a.bin')) ?? [];
    expect(readdirSync(`${remote.dir}/lfs/objects/${id.slice(0, 2)}/${id.slice(2, 4)}`)).toEqual([id]);
  });

  describe('over HTTP', () => {
    let server: GitHttpServer;
    let host: WorkspaceSandbox['host'];
    beforeEach(async () => {
      server = await GitHttpServer.start(box.dir, { password: PASSWORD });
      repository.git('remote', 'set-url', 'origin', `http://${server.host}/remote.git`);
      const access = { REPOSITORY_HOSTS: [server.host], GIT_REMOTE_TIMEOUT_SECS: 10 };
      const find = (origin: string) =>
        Promise.resolve(origin === `http://${server.host}` ? { username: 'user', password: PASSWORD } : null);
      host = new WorkspaceSandbox({ within: box, dataDir: box.dataDir, access, credentials: { find } }).host;
    });
    afterEach(() => server.stop());

    it('logs in with the credential of the host, which no other way knows', async () => {
      work();
      expect(await push(null, null, host)).toMatchObject({ commit: tree.head });
      const bare = new WorkspaceSandbox({
        within: box,
        dataDir: box.dataDir,
        access: { REPOSITORY_HOSTS: [server.host] },
      }).host;
      repository.git('config', 'credential.helper', `!touch ${box.path('ran')};`);
      work('more.txt');
      await expect(push(null, null, bare)).rejects.toMatchObject({ code: 'remote_auth_failed' });
      await expect(push()).rejects.toMatchObject({ code: 'repo_invalid' });
      expect(readdirSync(box.dir)).not.toContain('ran');
    });

    it('shows what the remote says when it refuses', async () => {
      writeFileSync(`${remote.dir}/hooks/pre-receive`, '#!/bin/sh\necho "Only on Mondays" >&2\nexit 1\n');
      chmodSync(`${remote.dir}/hooks/pre-receive`, 0o755);
      work();
      await expect(push(null, null, host)).rejects.toMatchObject({
        code: 'remote_refused',
        details: { message: 'Only on Mondays' },
      });
    });

    it.each([
      ['cut', 'remote_unreachable'],
      [502, 'remote_unreachable'],
      [403, 'remote_auth_failed'],
      [404, 'remote_not_found'],
    ] as const)('answers %s as %s, and can be repeated', async (fault, code) => {
      work();
      server.fault = fault;
      await expect(push(null, null, host)).rejects.toMatchObject({ code });
      server.fault = null;
      expect(await push(null, null, host)).toMatchObject({ before: null, commit: tree.head });
    });

    it('does not wait for a remote that never answers', async () => {
      const silent: Server = createServer(() => undefined);
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const place = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
      repository.git('remote', 'set-url', 'origin', `http://${place}/remote.git`);
      const access = { REPOSITORY_HOSTS: [place], GIT_REMOTE_TIMEOUT_SECS: 1 };
      const impatient = new WorkspaceSandbox({ within: box, dataDir: box.dataDir, access }).host;
      work();
      await expect(push(null, null, impatient)).rejects.toMatchObject({
        code: 'remote_unreachable',
        details: { reason: 'it did not answer within 1 s' },
      });
      silent.close();
    });
  });
});
