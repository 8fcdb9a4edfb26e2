import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { wideGuard, WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import { gitEnvironment } from '../config/child-environment.js';
import { Git } from '../git/git.js';
import { WorkspacePaths } from './workspace-paths.js';

let box: WorkspaceSandbox;
beforeEach(() => {
  box = new WorkspaceSandbox();
});
afterEach(() => box.remove());

/** The real git, behind a script that looks at the words of each call. */
const gitBehind = (script: string, timeoutMs: number) => {
  const real = gitEnvironment();
  mkdirSync(box.path('bin'));
  writeFileSync(box.path('bin/git'), `#!/bin/sh\nPATH='${real.PATH}'\n${script}\nexec git "$@"\n`);
  chmodSync(box.path('bin/git'), 0o755);
  return new WorkspaceSandbox({
    within: box,
    dataDir: box.dataDir,
    git: new Git({ ...real, PATH: `${box.path('bin')}:${real.PATH}` }, { timeoutMs }),
  });
};

describe('a git that hangs', () => {
  const hangingAt = (command: string) => gitBehind(`case " $* " in *' ${command} '*) exec sleep 1000;; esac`, 4_000);

  it('makes a preparation fail, which leaves nothing behind', async () => {
    const app = box.repository('app');
    const slow = hangingAt('update-ref');
    await expect(slow.host.prepare(slow.workspace([app]))).rejects.toMatchObject({
      code: 'git_failed',
      details: { reason: 'git update-ref did not end in time' },
    });
    expect(app.branches()).toEqual(['main']);
  });

  it('makes a summary fail, and a repository hold up no other', async () => {
    const [app, other] = [box.repository('app'), box.repository('other')];
    const workspace = await box.prepared(app);
    const slow = hangingAt('diff-index');
    const answers = await Promise.all([
      slow.host.changes(workspace, { guard: wideGuard, force: false }),
      slow.host.prepare(slow.workspace([other])),
    ]);
    expect(answers).toMatchObject([{ blocked: true, blocked_reason: 'summary_failed' }, { other: other.head }]);
  });
});

describe('a server that ends', () => {
  it('ends the looks that hang, and writes nothing below its folder afterwards', async () => {
    const workspace = await box.prepared(box.repository('app'));
    const { host } = gitBehind(`case " $* " in *' diff-files '*) exec sleep 1000;; esac`, 60_000);
    const lenses = path.join(box.dataDir, 'lenses');
    const looks = Array.from({ length: 10 }, async (_, at) => {
      await pause(at * 20);
      await host.isDirty(workspace);
    });
    const answers = Promise.allSettled(looks);
    while (readdirSync(lenses).length < 3) await pause(5);
    await host.onApplicationShutdown();
    expect(readdirSync(lenses)).toEqual([]);
    rmSync(box.dataDir, { recursive: true });
    expect((await answers)[0]).toMatchObject({ status: 'rejected', reason: { code: 'git_failed' } });
    expect(existsSync(box.dataDir)).toBe(false);
  });

  it('makes no folder anew for a look that is still on its way', () => {
    const paths = new WorkspacePaths(box.dataDir);
    const asked = () => [paths.worktree('a', 'app'), paths.store('a', 'app'), paths.clones, paths.lenses];
    const before = asked();
    rmSync(box.dataDir, { recursive: true });
    expect(asked()).toEqual(before);
    expect(existsSync(box.dataDir)).toBe(false);
  });
});

describe('the lock of a live git', () => {
  it('is kept while that git works in the worktree, and removed when it was killed', async () => {
    const app = box.repository('app');
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    tree.write({ 'new.txt': 'x' });
    tree.git('add', '--all');
    const lock = path.join(tree.git('rev-parse', '--absolute-git-dir'), 'index.lock');
    // A commit holds the lock while its editor is open.
    const env = {
      ...gitEnvironment(),
      GIT_EDITOR: 'sleep 1000; true',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a',
    };
    const commit = spawn('git', ['commit', '--all'], { cwd: tree.dir, env, detached: true, stdio: 'ignore' });
    const ended = new Promise((resolve) => commit.once('exit', resolve));
    while (!existsSync(lock)) await pause(10);
    await box.host.refresh(workspace);
    await box.host.prepare(workspace);
    expect(existsSync(lock)).toBe(true);
    process.kill(-commit.pid!, 'SIGKILL');
    await ended;
    expect(existsSync(lock)).toBe(true);
    await box.host.prepare(workspace);
    expect(existsSync(lock)).toBe(false);
    tree.commit('works again');
  });
});
