import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitRepository } from '../../test/support/git-repository.js';
import { wideGuard, WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import type { PatchRequest } from './artifact-host.js';
import { type Workspace } from './workspace-host.js';

describe('patch', () => {
  let box: WorkspaceSandbox;
  beforeEach(() => {
    box = new WorkspaceSandbox();
  });
  afterEach(() => box.remove());

  const read = (
    workspace: Workspace,
    paths: string[],
    options: Partial<Omit<PatchRequest, 'paths' | 'guard'>> & { guard?: object } = {},
  ) =>
    box.host.patch(workspace, {
      ...{ paths, max_bytes: 204_800, force: false },
      ...options,
      guard: { ...wideGuard, ...options.guard },
    });

  it('shows a commit whatever the files are by now, and the files where no such commit is here', async () => {
    const workspace = await box.prepared(box.repository('app', { 'a.txt': 'one\n' }));
    const tree = box.tree(workspace);
    tree.write({ 'a.txt': 'committed\n' });
    tree.commit('by the agent');
    await box.host.heads(workspace); // takes it into the store
    const head = tree.git('rev-parse', 'HEAD');
    tree.write({ 'a.txt': 'one\n', 'b.txt': 'later\n' });
    const shown = async (commit: string) => {
      const at = [{ repo_name: 'app', head: commit }];
      const { files } = await box.host.changes(workspace, { guard: wideGuard, force: true, at });
      const { patch } = await read(workspace, ['app'], { at, force: true });
      return [files, patch!.match(/^\+\w+$/gm)];
    };
    expect(await shown(head)).toEqual([['app/a.txt'], ['+committed']]);
    expect(await shown('1'.repeat(40))).toEqual([['app/b.txt'], ['+later']]);
  });

  it('shows tracked and untracked changes of the chosen paths alone, under the name of the repository', async () => {
    const app = box.repository('app', { 'a.txt': 'one\n', 'b.txt': 'one\n' });
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    tree.write({ 'a.txt': 'two\n', 'b.txt': 'two\n', 'new/n.txt': 'fresh\n' });
    const answer = await read(workspace, ['app/a.txt', 'app/new/n.txt', 'app/c.txt', 'other/x', 'app/new/n.txt/']);
    expect(answer.patch).toBe(
      [
        'diff --git a/app/a.txt b/app/a.txt',
        'index 5626abf..f719efd 100644',
        '--- a/app/a.txt',
        '+++ b/app/a.txt',
        '@@ -1 +1 @@',
        '-one',
        '+two',
        'diff --git a/app/new/n.txt b/app/new/n.txt',
        'new file mode 100644',
        'index 0000000..6f8e2ae',
        '--- /dev/null',
        '+++ b/app/new/n.txt',
        '@@ -0,0 +1 @@',
        '+fresh',
        '',
      ]
        .join('\n')
        .replace('6f8e2ae', tree.git('hash-object', 'new/n.txt').slice(0, 7)),
    );
    expect(answer).toMatchObject({
      blocked: false,
      truncated: false,
      bytes: answer.patch!.length,
      paths: ['app/a.txt', 'app/new/n.txt', 'app/new/n.txt/'],
      skipped_paths: ['app/c.txt', 'other/x'],
    });
  });

  it('shows as much around the changes as is wanted, and white space only where that is wanted', async () => {
    const lines = (indent: string, at9 = '9') => ['1', '2', '3', '4', `${indent}5`, '6', '7', '8', at9, ''].join('\n');
    const app = box.repository('app', { 'a.txt': lines('') });
    const workspace = await box.prepared(app);
    box.tree(workspace).write({ 'a.txt': lines('  ', 'nine') });
    const shown = async (options: object) =>
      (await read(workspace, ['app/a.txt'], options)).patch!.replace(/^[^]*?(?=@@)/, '');
    expect(await shown({ context_lines: 0 })).toBe('@@ -5 +5 @@\n-5\n+  5\n@@ -9 +9 @@\n-9\n+nine\n');
    expect(await shown({ context_lines: 1, ignore_whitespace: true })).toBe('@@ -8,2 +8,2 @@\n 8\n-9\n+nine\n');
    expect(await shown({ context_lines: 100 })).toContain('@@ -1,9 +1,9 @@');
    expect(await shown({})).toContain('@@ -2,8 +2,8 @@');
  });

  it('takes a folder or a whole repository for all below it, of several repositories in turn', async () => {
    const [one, two] = [box.repository('one', { 'd/x': '1\n' }), box.repository('two')];
    const workspace = await box.prepared(one, two);
    box.tree(workspace, 'one').write({ 'd/x': '2\n', 'd/y': '2\n', dd: '2\n' });
    box.tree(workspace, 'two').write({ z: '2\n' });
    const headers = async (...paths: string[]) =>
      [...(await read(workspace, paths)).patch!.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, name]) => name);
    expect(await headers('one/d')).toEqual(['one/d/x', 'one/d/y']);
    expect(await headers('two', 'one')).toEqual(['two/z', 'one/d/x', 'one/d/y', 'one/dd']);
    expect(await headers('one', 'one/d/x', 'one')).toEqual(['one/d/x', 'one/d/y', 'one/dd']);
    expect(await read(workspace, ['one/nothing'])).toMatchObject({
      blocked: false,
      patch: '',
      bytes: 0,
      skipped_paths: ['one/nothing'],
    });
  });

  it('takes every name literally', async () => {
    const names = ['*', 'a*', ':(glob)**', ':!a', '-R', 'sp ace', 'tab\tx', 'qu"ote', 'new\nline', 'ünï', '[x]', ':'];
    const app = box.repository('app', { plain: 'one\n', abc: 'one\n' });
    const workspace = await box.prepared(app);
    box
      .tree(workspace)
      .write({ plain: 'two\n', abc: 'two\n', ...Object.fromEntries(names.map((name) => [name, `${name.length}\n`])) });
    for (const name of names) {
      const { patch, paths } = await read(workspace, [`app/${name}`]);
      expect({
        name,
        files: patch!.split('\n').filter((line) => line.startsWith('diff --git ')).length,
        paths,
      }).toEqual({ name, files: 1, paths: [`app/${name}`] });
    }
    const tree = box.tree(workspace);
    tree.git('add', '--all');
    tree.git('commit', '--quiet', '-m', 'all');
    expect((await read(workspace, ['app/*'])).patch).not.toContain('plain');
  });

  it('can be applied: renames, modes, links, deletions and odd names included', async () => {
    const lines = Array.from({ length: 20 }, (_, at) => `${at}`).join('\n');
    const files = {
      'old dir/ren\ta"me.txt': lines,
      'run.sh': 'x\n',
      'gone.txt': 'x\n',
      turns: 'x\n',
      'cr.txt': 'a\rrename from x\n',
    };
    const app = box.repository('app', files);
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    mkdirSync(path.join(tree.dir, 'new'));
    renameSync(path.join(tree.dir, 'old dir/ren\ta"me.txt'), path.join(tree.dir, 'new/näme.txt'));
    rmSync(path.join(tree.dir, 'old dir'), { recursive: true });
    tree.git('add', '--all');
    rmSync(path.join(tree.dir, 'gone.txt'));
    chmodSync(path.join(tree.dir, 'run.sh'), 0o755);
    rmSync(path.join(tree.dir, 'turns'));
    symlinkSync('run.sh', path.join(tree.dir, 'turns'));
    tree.write({ 'cr.txt': 'b\rrename from x\n', 'fresh/é.txt': 'no line end', empty: '' });
    chmodSync(path.join(tree.dir, 'fresh/é.txt'), 0o755);
    const { patch } = await read(workspace, ['app']);
    expect(patch).toContain('rename from "app/old dir/ren\\ta\\"me.txt"\nrename to app/new/näme.txt\n');
    const copy = new GitRepository(box.path('copy'));
    copy.init();
    copy.write(Object.fromEntries(Object.entries(files).map(([name, content]) => [`app/${name}`, content])));
    copy.commit('base');
    copy.gitWith(patch!, 'apply', '--index');
    expect(
      spawnSync('diff', ['--recursive', '--no-dereference', '--exclude=.git', path.join(copy.dir, 'app'), tree.dir], {
        encoding: 'utf8',
      }).stdout,
    ).toBe('');
    expect(statSync(path.join(copy.dir, 'app/run.sh')).mode & 0o111).toBe(0o111);
  });

  it('shows a rename whichever of its names is asked for', async () => {
    const app = box.repository('app', { 'old.txt': 'same\n'.repeat(20), 'd/x.txt': 'other\n'.repeat(20) });
    const workspace = await box.prepared(app);
    box.tree(workspace).git('mv', 'old.txt', 'new.txt');
    box.tree(workspace).git('mv', 'd', 'e');
    for (const name of ['app/old.txt', 'app/new.txt'])
      expect((await read(workspace, [name])).patch).toContain('rename from app/old.txt\nrename to app/new.txt\n');
    for (const name of ['app/d', 'app/e', 'app'])
      expect((await read(workspace, [name])).patch).toContain('rename from app/d/x.txt\nrename to app/e/x.txt\n');
  });

  it('leaves the index of the agent as it is and nothing behind', async () => {
    const app = box.repository('app', { 'a.txt': 'one\n' });
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    tree.write({ 'new.txt': 'x\n' });
    const gitDir = tree.git('rev-parse', '--absolute-git-dir');
    const before = [
      readdirSync(gitDir),
      readFileSync(path.join(gitDir, 'index')),
      app.git('count-objects', '-v'),
      app.checkout(),
    ];
    expect((await read(workspace, ['app'])).patch).toContain('+x\n');
    expect([
      readdirSync(gitDir),
      readFileSync(path.join(gitDir, 'index')),
      app.git('count-objects', '-v'),
      app.checkout(),
    ]).toEqual(before);
  });

  it('sees a file that changed in the very second of the checkout', async () => {
    const app = box.repository('app', { 'a.txt': 'one\n' });
    app.git('config', 'core.trustctime', 'false');
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    const [file, index] = [
      path.join(tree.dir, 'a.txt'),
      path.join(tree.git('rev-parse', '--absolute-git-dir'), 'index'),
    ];
    utimesSync(file, 1_700_000_000, 1_700_000_000);
    tree.git('update-index', '--refresh');
    utimesSync(index, 1_700_000_000, 1_700_000_000);
    tree.write({ 'a.txt': 'two\n', 'new.txt': 'new\n' });
    utimesSync(file, 1_700_000_000, 1_700_000_000);
    expect((await read(workspace, ['app'])).patch).toContain('-one\n+two\n');
    await box.host.dispose(workspace, { deleteBranch: false });
    expect(app.git('show', `refs/taskyard/saved/${workspace.attempt_id}:a.txt`)).toBe('two');
  });

  it('names binaries without their bytes', async () => {
    const workspace = await box.prepared(box.repository('app'));
    writeFileSync(path.join(box.tree(workspace).dir, 'pic.bin'), Buffer.from([0, 1, 2]));
    expect((await read(workspace, ['app/pic.bin'])).patch).toContain(
      'Binary files /dev/null and b/app/pic.bin differ\n',
    );
  });

  it('shows a file whose name is not UTF-8 by its folder', async () => {
    const workspace = await box.prepared(box.repository('app'));
    const { dir } = box.tree(workspace);
    mkdirSync(path.join(dir, 'd'));
    writeFileSync(Buffer.concat([Buffer.from(`${dir}/d/`), Buffer.from([0xff])]), 'content\n');
    expect((await read(workspace, ['app/d'])).patch).toContain('+content\n');
    expect(await read(workspace, ['app/d/\uFFFD'])).toMatchObject({ skipped_paths: ['app/d/\uFFFD'], patch: '' });
  });
});
