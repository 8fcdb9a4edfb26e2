import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitSandbox } from '../../test/support/git-repository.js';
import { gitEnvironment } from '../config/child-environment.js';
import type { GitError } from './git-error.js';
import { Git } from './git.js';

describe('git', () => {
  let box: GitSandbox;
  beforeEach(() => {
    box = new GitSandbox();
  });
  afterEach(() => box.remove());

  const git = new Git(gitEnvironment());
  /** A program named git, first in PATH. */
  const fake = (script: string): Git => {
    mkdirSync(box.path('bin'), { recursive: true });
    writeFileSync(box.path('bin/git'), `#!/bin/sh\n${script}\n`);
    chmodSync(box.path('bin/git'), 0o755);
    return new Git({ ...gitEnvironment(), PATH: `${box.path('bin')}:${gitEnvironment().PATH}` });
  };
  const isAlive = (pid: string) => {
    try {
      return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
    } catch (error) {
      expect(['ENOENT', 'ESRCH']).toContain((error as NodeJS.ErrnoException).code);
      return false;
    }
  };
  /** A killed process may take a moment to go; one that is not killed exceeds the time of the test. */
  const isGone = async (name: string) => {
    const pid = readFileSync(box.path(name), 'utf8').trim();
    while (isAlive(pid)) await pause(10);
    return true;
  };
  const rejection = (call: Promise<unknown>): Promise<GitError> =>
    call.then(
      () => {
        throw new Error('it did not fail');
      },
      (error: GitError) => error,
    );

  it('runs with its own identity and environment, whatever the server has', async () => {
    const repository = box.repository('app');
    process.env.GIT_DIR = '/nonexistent';
    process.env.SECRET_TOKEN = 'x';
    try {
      expect(await git.text(repository.dir, ['rev-parse', 'HEAD'])).toBe(repository.head);
      const variables = (await fake('env').text(box.dir, ['x'])).split('\n').map((line) => line.split('=')[0]);
      expect(variables.filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name!)).sort()).toEqual([
        'GIT_ALLOW_PROTOCOL',
        'GIT_CEILING_DIRECTORIES',
        'GIT_GRAFT_FILE',
        'GIT_LITERAL_PATHSPECS',
        'GIT_NO_LAZY_FETCH',
        'GIT_NO_REPLACE_OBJECTS',
        'GIT_OPTIONAL_LOCKS',
        'GIT_TERMINAL_PROMPT',
        'HOME',
        'LC_ALL',
        'PATH',
      ]);
      const tree = await git.text(repository.dir, ['rev-parse', 'HEAD^{tree}']);
      const commit = await git.text(repository.dir, ['commit-tree', tree, '-m', 'x']);
      expect(repository.git('log', '-1', '--format=%an %ae %cn %ce', commit)).toBe(
        'Taskyard taskyard@localhost Taskyard taskyard@localhost',
      );
    } finally {
      delete process.env.GIT_DIR;
      delete process.env.SECRET_TOKEN;
    }
  });

  it('works on the repository of that very folder, and on the one around it only when asked', async () => {
    const repository = box.repository('app', { 'deep/x': '' });
    const deep = path.join(repository.dir, 'deep');
    expect(await rejection(git.text(deep, ['rev-parse', 'HEAD']))).toMatchObject({ code: 'git_failed' });
    expect(await git.text(deep, ['rev-parse', 'HEAD'], { discover: true })).toBe(repository.head);
  });

  // Only root may give files away.
  (process.getuid?.() === 0 ? it : it.skip)(
    'works on a repository of another owner only where it is trusted (needs root)',
    async () => {
      const repository = box.repository('app');
      execFileSync('chown', ['--recursive', '12345:12345', repository.dir]);
      const ask = (asked: Git) => asked.text(repository.dir, ['rev-parse', '--abbrev-ref', 'HEAD']);
      expect(await rejection(ask(git))).toMatchObject({
        code: 'repo_invalid',
        details: { reason: 'it belongs to another user and is not named in REPOSITORY_TRUST' },
      });
      expect(await ask(new Git(gitEnvironment(), { trusted: [repository.dir] }))).toBe('main');
    },
  );

  it('reports failures with a short reason', async () => {
    const repository = box.repository('app');
    expect(await rejection(git.run(repository.dir, ['rev-parse', '--verify', 'nope']))).toMatchObject({
      code: 'git_failed',
      details: { reason: 'Needed a single revision' },
    });
    expect(await rejection(git.run(box.path('nowhere'), ['status']))).toMatchObject({
      code: 'git_failed',
      details: { reason: expect.stringContaining('cannot change to') },
    });
    expect(
      (await git.run(repository.dir, ['rev-parse', '--verify', '--quiet', 'nope'], { accept: [1] })).exitCode,
    ).toBe(1);
    const error = await rejection(
      fake(`echo "warning: noise" >&2; printf 'fatal: %s\\n' "$(seq 1 500 | tr '\\n' ' ')" >&2; exit 3`).run(box.dir, [
        'x',
      ]),
    );
    expect(String(error.details.reason)).toHaveLength(300);
    expect(await rejection(fake('exit 7').run(box.dir, ['gc']))).toMatchObject({
      details: { reason: 'git gc ended with 7' },
    });
    expect(await rejection(fake('kill -9 $$').run(box.dir, ['gc']))).toMatchObject({
      details: { reason: 'git gc ended with a signal' },
    });
    expect(await rejection(new Git({ PATH: box.path('empty'), HOME: '/' }).run(box.dir, ['x']))).toMatchObject({
      code: 'git_failed',
      details: { reason: expect.stringContaining('could not be started') },
    });
  });

  it.each([
    [`fatal: Unable to create '/r/.git/index.lock': File exists.`, 'repo_locked'],
    [`error: could not lock config file .git/config: File exists`, 'repo_locked'],
    [
      `fatal: cannot lock ref 'refs/heads/x': Unable to create '/r/.git/refs/heads/x.lock': File exists.`,
      'repo_locked',
    ],
    ['fatal: failed to read .git/worktrees/k5/commondir: Success', 'repo_locked'],
    [`fatal: cannot lock ref 'refs/heads/ty/x': 'refs/heads/ty' exists; cannot create 'refs/heads/ty/x'`, 'git_failed'],
    [`fatal: Unable to create '/r/.git/index.lock': Read-only file system`, 'git_failed'],
    ['error: file write error: No space left on device', 'storage_full'],
    [`fatal: Unable to create '/r/.git/index.lock': Disk quota exceeded`, 'storage_full'],
  ])('reads %j as %s', async (stderr, code) => {
    writeFileSync(box.path('stderr'), `${stderr}\n`);
    expect(await rejection(fake(`cat '${box.path('stderr')}' >&2; exit 128`).run(box.dir, ['x']))).toMatchObject({
      code,
    });
  });

  it('keeps credentials out of reasons', async () => {
    const error = await rejection(
      fake(`echo "fatal: unable to access 'https://user:p%40ss@host/x.git?private_token=t0ken': gone" >&2; exit 1`).run(
        box.dir,
        ['x'],
      ),
    );
    expect(error.details.reason).toBe(`unable to access 'https://host/x.git': gone`);
  });

  it('ends a git that hangs, with all its children, even when it ignores the polite signal', async () => {
    const hanging = fake(
      `trap '' TERM; sleep 1000 & echo $! > '${box.path('child')}'
      echo $$ > '${box.path('pid')}'; while :; do wait; done`,
    );
    expect(await rejection(hanging.run(box.dir, ['fetch'], { timeoutMs: 3_000 }))).toMatchObject({
      code: 'git_failed',
      details: { reason: 'git fetch did not end in time' },
    });
    for (const name of ['pid', 'child']) expect(await isGone(name)).toBe(true);
  });

  it('does not wait for a helper that keeps the pipes open', async () => {
    const leaking = fake(`sleep 1000 & echo $! > '${box.path('child')}'; echo answer`);
    expect(await leaking.text(box.dir, ['x'])).toBe('answer');
    expect(await isGone('child')).toBe(true);
  });

  it('bounds a git that floods: it fails, or is cut where that was asked for', async () => {
    const flooding = fake('while :; do echo 0123456789; done');
    expect(await rejection(flooding.run(box.dir, ['log'], { maxBytes: 1000 }))).toMatchObject({
      code: 'git_failed',
      details: { reason: 'git log wrote more than is allowed' },
    });
    const { stdout, cut } = await flooding.run(box.dir, ['log'], { maxBytes: 1000, cut: true });
    expect([stdout.length, cut]).toEqual([1000, true]);
    expect(await fake('printf 1234').run(box.dir, ['log'], { maxBytes: 4 })).toMatchObject({ cut: false });
    const noisy = await rejection(
      fake('i=0; while [ $i -lt 20000 ]; do echo "noise $i" >&2; i=$((i+1)); done; exit 1').run(box.dir, ['x']),
    );
    expect(noisy.failure.stderr.length).toBeLessThanOrEqual(16 * 1024);
    expect(noisy.details.reason).toBe('noise 19999');
  });

  it('ends everything that runs when the server stops', async () => {
    const slow = fake(`echo $$ > '${box.path('pid')}'; exec sleep 1000`);
    const call = rejection(slow.run(box.dir, ['clone']));
    while (!existsSync(box.path('pid')) || readFileSync(box.path('pid'), 'utf8') === '') await pause(10);
    await slow.stopAll();
    expect(await call).toMatchObject({ code: 'git_failed' });
    expect(await isGone('pid')).toBe(true);
  });

  it('gives input to git, also when git does not want it', async () => {
    const repository = box.repository('app');
    expect(await git.text(repository.dir, ['hash-object', '--stdin'], { input: 'x' })).toMatch(/^[0-9a-f]{40}$/);
    expect(await fake('exit 0').text(box.dir, ['x'], { input: Buffer.alloc(5_000_000) })).toBe('');
  });
});
