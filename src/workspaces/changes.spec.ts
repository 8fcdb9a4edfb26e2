import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitRepository } from '../../test/support/git-repository.js';
import { wideGuard, WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import type { Changes, DiffGuard } from './artifact-host.js';
import type { Workspace } from './workspace-host.js';

describe('changes', () => {
  let box: WorkspaceSandbox;
  beforeEach(() => {
    box = new WorkspaceSandbox();
  });
  afterEach(() => box.remove());

  const read = (workspace: Workspace, guard: Partial<DiffGuard> = {}, force = false) =>
    box.host.changes(workspace, { guard: { ...wideGuard, ...guard }, force });
  const statOf = (changes: Changes, name: string) => changes.file_stats.find((stat) => stat.path === name);

  it('sees committed, uncommitted, staged and untracked work since the base, and nothing of the user', async () => {
    const app = box.repository('app', {
      'a.txt': '1\n2\n3\n',
      'gone.txt': 'x\ny\n',
      'staged.txt': 's\n',
      'same.txt': 'same\n',
    });
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    tree.write({ 'a.txt': '1\n2\n3\n4\n' });
    tree.commit('by the agent');
    tree.write({ 'staged.txt': 's\nt\n', 'deep/er/new.txt': 'one\ntwo' });
    tree.git('add', 'staged.txt');
    rmSync(path.join(tree.dir, 'gone.txt'));
    app.write({ 'user.txt': 'later' });
    app.commit('main goes on');
    const before = app.checkout();
    const changes = await read(workspace);
    expect(changes.summary).toEqual({ file_count: 4, added: 4, deleted: 2, total_bytes: 8 + 4 + 7 });
    expect(changes.files).toEqual(['app/a.txt', 'app/deep/er/new.txt', 'app/gone.txt', 'app/staged.txt']);
    expect(changes.file_stats).toMatchObject([
      { path: 'app/a.txt', old_path: null, status: 'modified', added: 1, deleted: 0, is_binary: false, bytes: 8 },
      {
        path: 'app/deep/er/new.txt',
        old_path: null,
        status: 'untracked',
        added: 2,
        deleted: 0,
        is_binary: false,
        bytes: 7,
      },
      { path: 'app/gone.txt', old_path: null, status: 'deleted', added: 0, deleted: 2, is_binary: false, bytes: 0 },
      { path: 'app/staged.txt', old_path: null, status: 'modified', added: 1, deleted: 0, is_binary: false, bytes: 4 },
    ]);
    expect(changes).toMatchObject({ blocked: false, blocked_reason: null, truncated: false });
    expect(app.checkout()).toEqual(before);
  });

  it('gives every name exactly, tracked and untracked', async () => {
    const names = [
      'with space.txt',
      'we"ird\'s.txt',
      'tab\there.txt',
      'new\nline.txt',
      'ünï/çødé-日本.txt',
      'back\\slash',
      '*glob?[a].txt',
      ':(glob)x',
      '-option',
      ' lead',
      'a => b.txt',
      '{x}',
    ];
    const app = box.repository('app', Object.fromEntries(names.map((name) => [`tracked/${name}`, 'old\n'])));
    const workspace = await box.prepared(app);
    box.tree(workspace).write(
      Object.fromEntries(
        names.flatMap((name) => [
          [`tracked/${name}`, 'new\n'],
          [`fresh/${name}`, 'x\n'],
        ]),
      ),
    );
    const changes = await read(workspace);
    expect(changes.files).toEqual(names.flatMap((name) => [`app/tracked/${name}`, `app/fresh/${name}`]).sort());
    expect(changes.summary).toMatchObject({ file_count: 24, added: 24, deleted: 12 });
  });

  it('replaces what is not UTF-8 in a name, and still measures the file', async () => {
    const app = box.repository('app');
    const workspace = await box.prepared(app);
    const { dir } = box.tree(workspace);
    writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0x66, 0xff, 0xe9, 0x2e])]), 'a\nb\n');
    const changes = await read(workspace);
    expect(changes.files).toEqual(['app/f\uFFFD\uFFFD.']);
    expect(changes.summary).toEqual({ file_count: 1, added: 2, deleted: 0, total_bytes: 4 });
  });

  it('shows a rename by its new path, with odd names too', async () => {
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n');
    const app = box.repository('app', { 'old\tna"me.txt': lines });
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    renameSync(path.join(tree.dir, 'old\tna"me.txt'), path.join(tree.dir, 'new\nname.txt'));
    tree.write({ 'new\nname.txt': `${lines}\nmore` });
    tree.git('add', '--all');
    const changes = await read(workspace);
    expect(changes.file_stats).toMatchObject([
      {
        path: 'app/new\nname.txt',
        old_path: 'app/old\tna"me.txt',
        status: 'renamed',
        added: 2,
        deleted: 1,
        is_binary: false,
        bytes: lines.length + 5,
      },
    ]);
  });

  it('knows binaries, modes, links, types, empty files and fifos', async () => {
    const files = { 'run.sh': 'x\n', 'turns.txt': 'x\n', 'twin/run.sh': 'x\n' };
    const app = box.repository('app', { 'pic.bin': Buffer.from([1, 0, 2]), ...files });
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    tree.write({ 'pic.bin': Buffer.from([1, 0, 2, 3]), 'new.bin': Buffer.from([0, 10, 10]), 'empty.txt': '' });
    chmodSync(path.join(tree.dir, 'run.sh'), 0o755);
    rmSync(path.join(tree.dir, 'turns.txt'));
    symlinkSync('/etc/passwd', path.join(tree.dir, 'turns.txt'));
    symlinkSync('/etc', path.join(tree.dir, 'etc'));
    rmSync(path.join(tree.dir, 'twin'), { recursive: true });
    symlinkSync('.', path.join(tree.dir, 'twin'));
    execFileSync('mkfifo', [path.join(tree.dir, 'pipe')]);
    const changes = await read(workspace);
    const binary = { status: 'modified', is_binary: true, added: 0, deleted: 0, bytes: 4 };
    expect(statOf(changes, 'app/pic.bin')).toMatchObject(binary);
    expect(statOf(changes, 'app/new.bin')).toMatchObject({ status: 'untracked', is_binary: true, added: 0, bytes: 3 });
    expect(statOf(changes, 'app/empty.txt')).toMatchObject({ is_binary: false, added: 0, bytes: 0 });
    expect(statOf(changes, 'app/run.sh')).toMatchObject({ status: 'modified', added: 0, deleted: 0 });
    expect(statOf(changes, 'app/turns.txt')).toMatchObject({ status: 'type_changed', added: 1, deleted: 1, bytes: 11 });
    expect(statOf(changes, 'app/etc')).toMatchObject({ status: 'untracked', added: 1, is_binary: false, bytes: 4 });
    expect(statOf(changes, 'app/twin')).toMatchObject({ status: 'untracked', added: 1, bytes: 1 });
    expect(statOf(changes, 'app/twin/run.sh')).toMatchObject({ status: 'deleted', deleted: 1 });
    expect(changes.files).toHaveLength(8);
  });

  it('shows a moved submodule, a conflict, and a file taken out of the index once each', async () => {
    const library = box.repository('library');
    const app = box.repository('app', { 'c.txt': 'base\n', 'out.txt': 'stays\n' });
    app.git('submodule', '--quiet', 'add', library.dir, 'lib');
    app.commit('submodule');
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    tree.write({ 'c.txt': 'ours\n' });
    tree.commit('ours');
    tree.git('checkout', '--quiet', '-b', 'side', 'HEAD^');
    tree.write({ 'c.txt': 'theirs\n' });
    tree.commit('theirs');
    expect(() => tree.git('merge', workspace.branch)).toThrow();
    tree.git('rm', '--quiet', '--cached', 'out.txt');
    library.write({ 'x.txt': '' });
    tree.git('update-index', '--cacheinfo', `160000,${library.commit('moved')},lib`);
    const changes = await read(workspace);
    expect(changes.files).toEqual(['app/c.txt', 'app/lib', 'app/out.txt']);
    expect(statOf(changes, 'app/c.txt')).toMatchObject({ status: 'modified', added: 5 });
    expect(statOf(changes, 'app/lib')).toMatchObject({ status: 'modified', bytes: 0, is_binary: false });
    expect(statOf(changes, 'app/out.txt')).toMatchObject({ status: 'modified', bytes: 6 });
  });

  it('leaves out ignored files, repositories inside and everything named .git', async () => {
    const app = box.repository('app', { '.gitignore': '*.log\n' });
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    tree.write({ 'x.log': 'ignored', 'kept.txt': 'x', 'a/.GIT/config': 'odd' });
    const nested = new GitRepository(path.join(tree.dir, 'inner/repo'));
    nested.init();
    nested.write({ 'n.txt': 'n' });
    nested.commit('nested');
    const unborn = new GitRepository(path.join(tree.dir, 'unborn'));
    unborn.init();
    unborn.write({ 'u.txt': 'u' });
    expect((await read(workspace)).files).toEqual(['app/kept.txt']);
  });

  it('is not led astray by the settings of the user', async () => {
    const app = box.repository('app', { 'a.txt': 'one\n' });
    for (const [key, value] of [
      ['diff.noprefix', 'true'],
      ['diff.external', '/bin/false'],
      ['color.ui', 'always'],
      ['diff.renames', 'false'],
      ['core.quotePath', 'true'],
      ['diff.x.textconv', '/bin/false'],
    ])
      app.git('config', key!, value!);
    app.write({ '.git/info/attributes': '*.txt diff=x\n' });
    const workspace = await box.prepared(app);
    box.tree(workspace).write({ 'a.txt': 'two\n' });
    expect((await read(workspace)).file_stats).toMatchObject([
      { path: 'app/a.txt', old_path: null, status: 'modified', added: 1, deleted: 1, is_binary: false, bytes: 4 },
    ]);
    const patch = await box.host.patch(workspace, {
      paths: ['app/a.txt'],
      max_bytes: 1000,
      guard: wideGuard,
      force: false,
    });
    expect(patch.patch).toContain('--- a/app/a.txt\n+++ b/app/a.txt\n@@ -1 +1 @@\n-one\n+two\n');
  });

  it('joins several repositories under their names', async () => {
    const [one, two] = [box.repository('one'), box.repository('two')];
    const workspace = await box.prepared(one, two);
    for (const name of ['one', 'two']) box.tree(workspace, name).write({ 'same.txt': `${name}\n` });
    expect((await read(workspace)).files).toEqual(['one/same.txt', 'two/same.txt']);
  });

  it('takes no lock and leaves the index of the agent as it is', async () => {
    const app = box.repository('app', { 'a.txt': 'one\n' });
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    writeFileSync(path.join(tree.git('rev-parse', '--absolute-git-dir'), 'index.lock'), 'an agent commits');
    tree.write({ 'a.txt': 'two\n', 'b.txt': 'new\n' });
    expect((await read(workspace)).files).toEqual(['app/a.txt', 'app/b.txt']);
    expect(
      (await box.host.patch(workspace, { paths: ['app'], max_bytes: 1000, guard: wideGuard, force: false })).paths,
    ).toEqual(['app']);
    expect(await box.host.isDirty(workspace)).toBe(true);
    expect(tree.git('--no-optional-locks', 'status', '--porcelain')).toBe(' M a.txt\n?? b.txt');
  });

  it('reports a workspace that is not prepared, gone, or replaced by a link', async () => {
    const app = box.repository('app');
    await expect(read(box.workspace([app]))).rejects.toMatchObject({ code: 'workspace_not_ready' });
    const workspace = await box.prepared(app);
    const { dir } = box.tree(workspace);
    renameSync(dir, `${dir}-away`);
    await expect(read(workspace)).rejects.toMatchObject({
      code: 'workspace_lost',
      details: { attempt_id: workspace.attempt_id, workspace_branch: workspace.branch },
    });
    symlinkSync(app.dir, dir);
    await expect(read(workspace)).rejects.toMatchObject({ code: 'workspace_lost' });
    rmSync(dir);
    mkdirSync(dir);
    await expect(read(workspace)).rejects.toMatchObject({ code: 'workspace_lost' });
  });
});
