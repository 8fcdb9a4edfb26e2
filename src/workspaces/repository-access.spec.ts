import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitHttpServer } from '../../test/support/git-http-server.js';
import type { GitRepository } from '../../test/support/git-repository.js';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import { type AccessSettings, pinned } from './repository-access.js';

const refusal = (reason: string) => ({ code: 'repo_invalid', details: { reason: expect.stringContaining(reason) } });

/** S8: callers name repositories of their own, not whatever the server can reach. */
describe('a repository that a caller names', () => {
  let box: WorkspaceSandbox;
  let app: GitRepository;
  const servers: GitHttpServer[] = [];
  beforeEach(() => {
    box = new WorkspaceSandbox();
    app = box.repository('app');
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
    box.remove();
  });
  const under = (access: Partial<AccessSettings>) => new WorkspaceSandbox({ within: box, access }).host;

  it.each([
    ['it itself', (tree: string) => tree],
    [
      'a link to it',
      (tree: string) => {
        symlinkSync(tree, box.path('link'));
        return box.path('link');
      },
    ],
    [
      'a .git file that leads there',
      () => {
        mkdirSync(box.path('front'));
        writeFileSync(box.path('front/.git'), `gitdir: ${box.dataDir}/repos/0.git\n`);
        return box.path('front');
      },
    ],
  ])('is not below DATA_DIR: %s', async (_, name) => {
    await box.host.clone(app.dir, '0');
    const folder = name(box.tree(await box.prepared(app)).dir);
    await expect(box.host.inspect(folder)).rejects.toMatchObject(refusal('belongs to this server'));
    for (const url of [folder, `file://${folder}`])
      await expect(box.host.clone(url, '1')).rejects.toMatchObject(refusal('belongs to this server'));
  });

  it('is below REPOSITORY_ROOTS, by its real path, and what is not there is refused alike', async () => {
    mkdirSync(box.path('root'));
    symlinkSync(app.dir, box.path('root/link'));
    const inner = box.repository('root/inner');
    const host = under({ REPOSITORY_ROOTS: [box.path('root')] });
    expect(await host.inspect(inner.dir)).toMatchObject({ root: inner.dir });
    for (const folder of [
      app.dir,
      box.path('root/link'),
      `${box.dir}/root/../app`,
      box.path('missing'),
      '/etc/shadow',
    ]) {
      await expect(host.inspect(folder)).rejects.toMatchObject(refusal('REPOSITORY_ROOTS'));
      await expect(host.clone(`file://${folder}`, '1')).rejects.toMatchObject(refusal('REPOSITORY_ROOTS'));
    }
  });

  it('is not the one around a folder below REPOSITORY_ROOTS', async () => {
    app.write({ 'sub/a.txt': 'a' });
    await expect(under({ REPOSITORY_ROOTS: [`${app.dir}/sub`] }).inspect(`${app.dir}/sub`)).rejects.toMatchObject(
      refusal('REPOSITORY_ROOTS'),
    );
  });

  it('is nowhere on this machine beyond loopback, unless REPOSITORY_ROOTS names it', async () => {
    await expect(under({ HOST: '0.0.0.0' }).inspect(app.dir)).rejects.toMatchObject(refusal('REPOSITORY_ROOTS'));
    expect(await under({ HOST: '0.0.0.0', REPOSITORY_ROOTS: [box.dir] }).inspect(app.dir)).toBeDefined();
  });

  it('is on no private host, and nobody is asked', async () => {
    const server = await GitHttpServer.start(box.dir);
    servers.push(server);
    const port = server.host.split(':')[1];
    for (const url of [
      `http://${server.host}/app/.git`,
      `http://localhost:${port}/app/.git`,
      `http://2130706433:${port}/app/.git`,
      `http://0x7f.1:${port}/app/.git`,
      `http://[::ffff:127.0.0.1]:${port}/app/.git`,
      `git://127.0.0.1:${port}/app`,
      `ssh://git@2130706433:${port}/app`,
      `ssh://git@[::1]:${port}/app`,
      'git@169.254.169.254:app',
      'https://unknown.invalid/app',
    ])
      await expect(box.host.clone(url, '1')).rejects.toMatchObject(refusal('no public address'));
    await expect(box.host.clone(`ssh://git@%31%32%37.0.0.1:${port}/app`, '1')).rejects.toMatchObject(refusal('URL'));
    expect(server.requests).toEqual([]);
  });

  it('is on a host that REPOSITORY_HOSTS names, with its port where it names one, and on no other', async () => {
    const server = await GitHttpServer.start(box.dir);
    servers.push(server);
    for (const name of [server.host, '127.0.0.1'])
      expect(
        await under({ REPOSITORY_HOSTS: [name] }).clone(`http://${server.host}/app/.git`, name.replace(':', '-')),
      ).toMatchObject({ default_branch: 'main' });
    for (const name of ['127.0.0.1:1', 'git.example.com'])
      await expect(
        under({ REPOSITORY_HOSTS: [name] }).clone(`http://${server.host}/app/.git`, '1'),
      ).rejects.toMatchObject(refusal('not named in REPOSITORY_HOSTS'));
  });

  it('is asked at the addresses that were looked at, whatever its name means to git', async () => {
    const server = await GitHttpServer.start(box.dir);
    servers.push(server);
    const port = server.host.split(':')[1]!;
    const { config } = pinned('http', 'repo.invalid', port, ['127.0.0.1']);
    const settings = config.flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    const ask = ['ls-remote', `http://repo.invalid:${port}/app/.git`, 'HEAD'];
    expect((await promisify(execFile)('git', [...settings, ...ask])).stdout).toContain(app.head);
    await expect(promisify(execFile)('git', ask)).rejects.toThrow('resolve host');
  });

  it('is asked over ssh at the address that was looked at, by the key of its name', () => {
    const { env } = pinned('ssh', 'repo.invalid', '2222', ['192.0.2.1']);
    const program = box.path('ssh');
    writeFileSync(program, `#!/bin/sh\necho "$@" > '${box.path('asked')}'\nexit 1\n`, { mode: 0o755 });
    const command = env.GIT_SSH_COMMAND!.replace(/^ssh/, program);
    expect(() => app.git('-c', `core.sshCommand=${command}`, 'ls-remote', 'ssh://git@repo.invalid:2222/app')).toThrow();
    expect(readFileSync(box.path('asked'), 'utf8')).toMatch(
      /^-o BatchMode=yes .*-o HostName=192\.0\.2\.1 -o HostKeyAlias=\[repo\.invalid\]:2222 .*git@repo\.invalid/,
    );
  });

  it('is looked at again before each attempt', async () => {
    const workspace = box.workspace([app]);
    const host = under({ REPOSITORY_ROOTS: [box.path('elsewhere')] });
    await expect(host.branchExists(app.dir, 'main')).rejects.toMatchObject(refusal('REPOSITORY_ROOTS'));
    await expect(host.prepare(workspace)).rejects.toMatchObject(refusal('REPOSITORY_ROOTS'));
    await box.host.clone(app.dir, '0');
    expect(await host.branchExists(`${box.dataDir}/repos/0.git`, 'main')).toBe(true);
  });

  it('is not where a named host redirects to', async () => {
    const target = await GitHttpServer.start(box.dir);
    const named = await GitHttpServer.start(box.dir, { redirect: `http://${target.host}` });
    servers.push(target, named);
    const host = under({ REPOSITORY_HOSTS: [named.host] });
    await expect(host.clone(`http://${named.host}/app/.git`, '1')).rejects.toMatchObject({ code: 'repo_invalid' });
    expect([named.requests.length > 0, target.requests]).toEqual([true, []]);
  });
});
