import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitRepository } from '../../test/support/git-repository.js';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';

let box: WorkspaceSandbox;
beforeEach(() => {
  box = new WorkspaceSandbox();
});
afterEach(() => box.remove());

describe('inspect', () => {
  it('answers root and current branch, from any folder of the checkout', async () => {
    const app = box.repository('app with space ', { 'deep/er/x': '' });
    app.git('checkout', '--quiet', '-b', 'work/now');
    for (const folder of ['', 'deep/er', '.git', '.git/refs'])
      expect(await box.host.inspect(path.join(app.dir, folder))).toEqual({ root: app.dir, default_branch: 'work/now' });
    symlinkSync(app.dir, box.path('link'));
    expect(await box.host.inspect(box.path('link'))).toMatchObject({ root: app.dir });
  });

  it('takes the branch of origin on a detached HEAD, else the first there is', async () => {
    const origin = box.repository('origin');
    origin.git('checkout', '--quiet', '-b', 'trunk');
    origin.git('clone', '--quiet', origin.dir, box.path('app'));
    const app = new GitRepository(box.path('app'));
    app.git('checkout', '--quiet', '--detach');
    expect(await box.host.inspect(app.dir)).toEqual({ root: app.dir, default_branch: 'trunk' });
    app.git('branch', '-D', 'trunk');
    expect(await box.host.inspect(app.dir)).toEqual({ root: app.dir, default_branch: 'trunk' });
    expect(await box.host.prepare(box.workspace([app], 'trunk'))).toEqual({ app: origin.head });
    origin.git('checkout', '--quiet', '--detach');
    expect(await box.host.inspect(origin.dir)).toEqual({ root: origin.dir, default_branch: 'main' });
  });

  it('takes bare repositories and worktrees of the user', async () => {
    const app = box.repository('app');
    app.git('clone', '--quiet', '--bare', app.dir, box.path('bare.git'));
    app.git('worktree', 'add', '--quiet', '-b', 'side', box.path('side'));
    expect(await box.host.inspect(box.path('bare.git'))).toEqual({
      root: box.path('bare.git'),
      default_branch: 'main',
    });
    expect(await box.host.inspect(box.path('side'))).toEqual({ root: box.path('side'), default_branch: 'side' });
  });

  it('says what is wrong', async () => {
    mkdirSync(box.path('plain'));
    writeFileSync(box.path('file'), '');
    new GitRepository(box.path('empty')).init();
    const reasons: [string, string][] = [
      ['relative/path', 'the path must be absolute'],
      ['', 'the path must be absolute'],
      ['/x\0y', 'the path must be absolute'],
      [box.path('nowhere'), `the folder ${box.path('nowhere')} does not exist`],
      [box.path('file'), `the folder ${box.path('file')} does not exist`],
      [box.path('plain'), 'it is not a git repository'],
      [box.path('empty'), 'it has no commit on a branch yet'],
    ];
    for (const [folder, reason] of reasons)
      await expect(box.host.inspect(folder)).rejects.toMatchObject({ code: 'repo_invalid', details: { reason } });
  });

  // Only root may give files away.
  (process.getuid?.() === 0 ? it : it.skip)('refuses repositories of another user, also at a start', async () => {
    const app = box.repository('app');
    execFileSync('chown', ['--recursive', '12345:12345', app.dir]);
    const refused = {
      code: 'repo_invalid',
      details: { reason: expect.stringContaining('REPOSITORY_TRUST') as unknown },
    };
    await expect(box.host.inspect(app.dir)).rejects.toMatchObject(refused);
    await expect(box.prepared(app)).rejects.toMatchObject(refused);
  });
});

describe('branches', () => {
  it('lists local branches, the current one first, up to the limit', async () => {
    const app = box.repository('app');
    for (const name of ['b', 'a', 'z/x']) app.git('branch', name);
    expect(await box.host.branches(app.dir, 10)).toEqual(['main', 'a', 'b', 'z/x']);
    expect(await box.host.branches(app.dir, 2)).toEqual(['main', 'a']);
    app.git('checkout', '--quiet', 'z/x');
    expect(await box.host.branches(app.dir, 1)).toEqual(['z/x']);
    await expect(box.host.branches(box.path('nowhere'), 1)).rejects.toMatchObject({ code: 'git_failed' });
  });
});

describe('clone', () => {
  const clones = () =>
    existsSync(path.join(box.dataDir, 'repos')) ? readdirSync(path.join(box.dataDir, 'repos')) : [];

  it('clones without a checkout, once, so that attempts can be prepared from it', async () => {
    const origin = box.repository('origin');
    for (const [at, url] of [origin.dir, `file://${origin.dir}`].entries()) {
      const id = `0198c0de-0000-7000-8000-00000000000${at}`;
      const root = path.join(box.dataDir, 'repos', `${id}.git`);
      expect(await box.host.clone(url, id)).toEqual({ root, default_branch: 'main' });
      expect(await box.host.clone(url, id)).toEqual({ root, default_branch: 'main' });
      const workspace = box.workspace([new GitRepository(root)]);
      expect(Object.values(await box.host.prepare(workspace))).toEqual([origin.head]);
    }
    expect(clones()).toHaveLength(2);
  });

  it.each([
    'ext::sh -c touch% /tmp/x',
    '--upload-pack=touch x',
    '-x',
    'relative/path',
    'fd::17',
    'ftp://host/x',
    'javascript:x',
    'https://',
    'ssh://-oProxyCommand=x/y',
    'a@b::c',
    'https://host/x\nfoo',
    '',
  ])('refuses the URL %j before git sees it', async (url) => {
    await expect(box.host.clone(url, 'id')).rejects.toMatchObject({
      code: 'repo_invalid',
      details: { reason: expect.stringContaining('the URL must begin with') },
    });
    expect(clones()).toEqual([]);
  });

  it('refuses a partial clone, whose objects cannot be lent', async () => {
    const app = box.repository('app');
    app.git('config', 'uploadpack.allowFilter', 'true');
    app.git('clone', '--quiet', '--filter=blob:none', `file://${app.dir}`, box.path('partial'));
    await expect(box.host.inspect(box.path('partial'))).rejects.toMatchObject({
      code: 'repo_invalid',
      details: { reason: expect.stringContaining('partial clone') },
    });
  });

  it('says what failed, without credentials, and leaves nothing behind', async () => {
    new GitRepository(box.path('empty')).init();
    const urls = [
      'http://user:s3cret@127.0.0.1:9/repo.git?token=s3cret',
      'https://s3cret@127.0.0.1:9/x',
      box.path('nowhere'),
      `file://${box.path('nowhere')}`,
      box.path('empty'),
    ];
    for (const url of urls) {
      const error = await box.host
        .clone(url, 'id')
        .catch((failure: Error & { code: string; details: { reason: string } }) => failure);
      expect(error).toMatchObject({ code: 'repo_invalid' });
      expect(JSON.stringify([error, (error as Error).message])).not.toContain('s3cret');
      expect((error as { details: { reason: string } }).details.reason.length).toBeLessThan(300);
    }
    expect(clones()).toEqual([]);
  });
});
