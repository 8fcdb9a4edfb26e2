import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitRepository } from '../../test/support/git-repository.js';
import { wideGuard, WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';

describe('the configuration of a repository', () => {
  let box: WorkspaceSandbox;
  let app: GitRepository;
  let program: string;
  beforeEach(() => {
    box = new WorkspaceSandbox();
    app = box.repository('app', {
      'a.txt': 'a\n',
      '.gitattributes': '* filter=planted diff=planted merge=planted\n',
    });
    program = box.path('planted');
    writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${box.path('ran')}'\ncat 2>/dev/null || true\n`);
    chmodSync(program, 0o755);
  });
  afterEach(() => box.remove());

  /** Everything that the server does with the files of an attempt. */
  const live = async () => {
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    tree.write({ 'b.txt': 'b\n' });
    writeFileSync(`${tree.dir}/a.txt`, 'changed\n');
    const options = { guard: wideGuard, force: false };
    const { files } = await box.host.changes(workspace, options);
    const { patch } = await box.host.patch(workspace, { ...options, paths: ['app'], max_bytes: 200_000 });
    await box.host.isDirty(workspace);
    await box.host.refresh(workspace);
    const { app: commit } = await box.host.commit(workspace, 'work');
    await box.host.dispose(workspace, { deleteBranch: true });
    return { files, patch, commit };
  };

  it.each([
    ['filter.planted.clean'],
    ['filter.lfs.clean'],
    ['core.fsmonitor'],
    ['diff.planted.textconv'],
    ['alias.diff'],
  ])('runs nothing by %s', async (key) => {
    app.git('config', key, key.startsWith('alias.') ? `!${program}` : program);
    for (const flag of ['commit.gpgSign', 'filter.planted.required']) app.git('config', flag, 'true');
    const { files, patch, commit } = await live();
    expect(existsSync(box.path('ran'))).toBe(false);
    expect(files).toEqual(['app/a.txt', 'app/b.txt']);
    expect(patch).toContain('+changed\n');
    expect(app.git('show', '--no-textconv', '--no-ext-diff', '--format=', '--name-only', `${commit}`)).toBe(
      'a.txt\nb.txt',
    );
  });

  it.each(['include.path', 'includeIf.hasconfig:remote.*.url:**.path'])(
    'runs nothing by a file that it includes by %s',
    async (key) => {
      const filter = `[filter "planted"]\n\tclean = ${program}\n\tsmudge = ${program}\n`;
      writeFileSync(box.path('included'), `${filter}[core]\n\tfsmonitor = ${program}\n`);
      app.git('config', 'remote.origin.url', 'https://git.example.com/app.git');
      app.git('config', key, box.path('included'));
      await live();
      expect(existsSync(box.path('ran'))).toBe(false);
    },
  );

  it('runs nothing by a partial clone whose objects are missing', async () => {
    const workspace = await box.prepared(app);
    const [blob, settings] = [app.git('rev-parse', 'HEAD:a.txt'), { promisor: 'true', url: `file://${app.dir}` }];
    app.git('config', 'core.repositoryFormatVersion', '1');
    app.git('config', 'extensions.partialClone', 'origin');
    for (const [key, value] of Object.entries({ ...settings, uploadpack: program }))
      app.git('config', `remote.origin.${key}`, value);
    rmSync(`${app.dir}/.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`, { force: true });
    writeFileSync(`${box.tree(workspace).dir}/a.txt`, 'changed\n');
    await box.host.changes(workspace, { guard: wideGuard, force: false });
    expect(existsSync(box.path('ran'))).toBe(false);
  });

  it.each([
    ['git makes it', () => undefined],
    ['two files make it', (tree: GitRepository) => void tree.git('update-index', '--split-index')],
    ['version 4 packs it', (tree: GitRepository) => void tree.git('update-index', '--index-version', '4')],
  ])('runs nothing by a submodule that an agent has filled, its index as %s', async (_, write) => {
    const library = box.repository('library', { 'l.txt': 'l\n' });
    app.git('submodule', '--quiet', 'add', library.dir, 'lib');
    app.commit('submodule');
    const workspace = await box.prepared(app);
    const inner = new GitRepository(`${box.tree(workspace).dir}/lib`);
    write(box.tree(workspace));
    expect(await box.host.isDirty(workspace)).toBe(false);
    inner.git('clone', '--quiet', library.dir, '.');
    inner.git('config', 'filter.planted.clean', program);
    inner.write({ '.git/info/attributes': '* filter=planted\n', 'l.txt': 'm\n' });
    const { files } = await box.host.changes(workspace, { guard: wideGuard, force: false });
    expect(files).toEqual([]);
    expect(await box.host.isDirty(workspace)).toBe(true);
    await box.host.refresh(workspace);
    expect(await box.host.commit(workspace, 'work')).toEqual({});
    box.tree(workspace).write({ 'b.txt': 'b\n' });
    const { app: commit } = await box.host.commit(workspace, 'work');
    expect(app.git('show', '--format=', '--name-only', `${commit}`)).toBe('b.txt');
    await box.host.dispose(workspace, { deleteBranch: true });
    expect(existsSync(box.path('ran'))).toBe(false);
  });

  it('runs nothing by a repository that an agent has made inside, when its work is saved', async () => {
    const workspace = await box.prepared(app);
    const inner = new GitRepository(`${box.tree(workspace).dir}/made`);
    inner.init();
    inner.write({ 'i.txt': 'i\n', '.gitattributes': '* filter=planted\n' });
    for (const key of ['core.fsmonitor', 'filter.planted.clean', 'core.pager', 'core.sshCommand', 'alias.ls-files'])
      inner.git('config', key, key.startsWith('alias.') ? `!${program}` : program);
    await box.host.changes(workspace, { guard: wideGuard, force: false });
    await box.host.isDirty(workspace);
    await box.host.dispose(workspace, { deleteBranch: true });
    expect(app.git('ls-tree', '-r', '--name-only', `refs/taskyard/saved/${workspace.attempt_id}`)).toContain(
      'made/i.txt',
    );
    expect(existsSync(box.path('ran'))).toBe(false);
  });

  it('records the commit to which a submodule was moved', async () => {
    const library = box.repository('library', { 'l.txt': 'l\n' });
    app.git('submodule', '--quiet', 'add', library.dir, 'lib');
    app.commit('submodule');
    const workspace = await box.prepared(app);
    const inner = new GitRepository(`${box.tree(workspace).dir}/lib`);
    inner.git('clone', '--quiet', library.dir, '.');
    inner.write({ 'l.txt': 'm\n' });
    const moved = inner.commit('moved');
    const { app: commit } = await box.host.commit(workspace, 'work');
    expect(app.git('rev-parse', `${commit}:lib`)).toBe(moved);
  });

  it.each([
    [
      'a .git file that leads to another repository',
      ({ dir }: GitRepository) => {
        const other = box.repository('other');
        other.git('config', 'core.worktree', box.path('secret'));
        rmSync(`${dir}/.git`, { recursive: true });
        writeFileSync(`${dir}/.git`, `gitdir: ${other.dir}/.git\n`);
      },
    ],
    [
      'the commondir of another repository',
      ({ dir }: GitRepository) => writeFileSync(`${dir}/.git/commondir`, `${box.repository('other').dir}/.git\n`),
    ],
    ['no .git folder', ({ dir }: GitRepository) => rmSync(`${dir}/.git`, { recursive: true })],
    [
      'a link in the place of the .git folder',
      ({ dir }: GitRepository) => {
        renameSync(`${dir}/.git`, box.path('own'));
        symlinkSync(box.path('own'), `${dir}/.git`);
      },
    ],
  ])('is not read through %s', async (_, plant) => {
    mkdirSync(box.path('secret'));
    writeFileSync(box.path('secret/a.txt'), 'secret\n');
    const workspace = await box.prepared(app);
    plant(box.tree(workspace));
    const options = { guard: wideGuard, force: true };
    const lost = { code: 'workspace_lost', details: { reason: 'app: its .git folder is gone or damaged' } };
    await expect(box.host.changes(workspace, options)).rejects.toMatchObject(lost);
    const patch = box.host.patch(workspace, { ...options, paths: ['app'], max_bytes: 200_000 });
    await expect(patch).rejects.toMatchObject(lost);
    await expect(box.host.file(workspace, { path: 'app/a.txt', start: 0, max_bytes: 100 })).rejects.toMatchObject(lost);
    expect(await box.host.commit(workspace, 'work')).toEqual({});
  });

  it('is not written through a link in the place of the .git folder', async () => {
    const workspace = await box.prepared(app);
    const { dir } = box.tree(workspace);
    writeFileSync(box.path('victim'), 'gitdir: elsewhere\n');
    rmSync(`${dir}/.git`, { recursive: true });
    symlinkSync(box.path('victim'), `${dir}/.git`);
    await expect(box.host.prepare(workspace)).rejects.toMatchObject({
      code: 'workspace_lost',
      details: { reason: 'app: its .git folder is gone or damaged' },
    });
    expect(readFileSync(box.path('victim'), 'utf8')).toBe('gitdir: elsewhere\n');
  });

  it('does not move the worktree', async () => {
    mkdirSync(box.path('secret'));
    writeFileSync(box.path('secret/a.txt'), 'secret\n');
    const workspace = await box.prepared(app);
    app.git('config', 'core.worktree', box.path('secret'));
    app.git('config', 'extensions.worktreeConfig', 'true');
    box.tree(workspace).git('config', '--worktree', 'core.worktree', box.path('secret'));
    const { patch } = await box.host.patch(workspace, {
      guard: wideGuard,
      force: true,
      paths: ['app'],
      max_bytes: 200_000,
    });
    expect(patch).toBe('');
  });
});
