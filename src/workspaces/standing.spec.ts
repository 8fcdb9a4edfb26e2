import { createHash } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { GitRepository } from '../../test/support/git-repository.js';
import { userCheckout } from '../../test/support/user-checkout.js';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import type { RepoStanding } from './delivery-host.js';
import type { Workspace } from './workspace-host.js';

describe('where an attempt stands to its target', () => {
  let box: WorkspaceSandbox;
  let repository: GitRepository;
  let workspace: Workspace;
  let tree: GitRepository;

  beforeEach(async () => {
    box = new WorkspaceSandbox();
    repository = box.repository('app', {
      'a.txt': 'one\ntwo\nthree\n',
      'b.txt': 'b\n',
      'image.bin': Buffer.from([0, 1]),
    });
    workspace = await box.prepared(repository);
    tree = box.tree(workspace);
  });
  afterEach(() => box.remove());

  const standing = async (): Promise<RepoStanding> => (await box.host.standing(workspace))[0]!;
  /** Both sides change, each in its own commit. */
  const diverge = (ours: () => void, theirs: () => void) => {
    ours();
    tree.commit('ours');
    theirs();
    repository.commit('theirs');
  };
  const conflicts = async () =>
    (await standing()).preview!.conflict!.files.map(({ path: name, kind, ours, theirs, other_paths }) => ({
      name,
      kind,
      sides: `${ours}/${theirs}`,
      ...(other_paths.length ? { other_paths } : {}),
    }));

  it('is even after the start, and ahead and behind by what either side commits', async () => {
    expect(await standing()).toMatchObject({ ahead: 0, behind: 0, uncommitted: false, is_contained: true });
    diverge(
      () => tree.write({ 'new.txt': 'new\n' }),
      () => repository.write({ 'b.txt': 'B\n' }),
    );
    const found = await standing();
    expect(found).toMatchObject({ ahead: 1, behind: 1, is_contained: false, is_on_branch: true, operation: null });
    expect(found.target).toEqual({ commit: repository.head, remote: null, branch: 'main' });
    expect(found.preview).toMatchObject({ conflict: null, tree: expect.stringMatching(/^[0-9a-f]{40}$/) });
  });

  it('counts uncommitted work in, and touches neither the worktree nor the checkout of the user', async () => {
    repository.write({ 'a.txt': 'one\nTWO\nthree\n' });
    repository.commit('theirs');
    tree.write({ 'a.txt': 'one\nzwei\nthree\n' });
    const before = { user: userCheckout(repository), tree: tree.git('status', '--porcelain=v2') };
    expect(await standing()).toMatchObject({ ahead: 0, behind: 1, uncommitted: true });
    expect(await conflicts()).toEqual([{ name: 'app/a.txt', kind: 'content', sides: 'modified/modified' }]);
    expect({ user: userCheckout(repository), tree: tree.git('status', '--porcelain=v2') }).toEqual(before);
  });

  it('finds the work contained where the target got the same files by another commit', async () => {
    diverge(
      () => tree.write({ 'b.txt': 'B\n' }),
      () => repository.write({ 'b.txt': 'B\n' }),
    );
    expect(await standing()).toMatchObject({ ahead: 1, behind: 1, is_contained: true });
  });

  it('names every kind of conflict by what each side did', async () => {
    diverge(
      () => {
        tree.git('rm', '--quiet', 'b.txt');
        tree.write({ 'a.txt': 'one\nzwei\nthree\n', 'both.txt': 'ours\n', 'image.bin': Buffer.from([0, 2]) });
      },
      () =>
        repository.write({
          'a.txt': 'one\nTWO\nthree\n',
          'b.txt': 'B\n',
          'both.txt': 'theirs\n',
          'image.bin': Buffer.from([0, 3]),
        }),
    );
    expect(await conflicts()).toEqual([
      { name: 'app/a.txt', kind: 'content', sides: 'modified/modified' },
      { name: 'app/b.txt', kind: 'modify_delete', sides: 'deleted/modified' },
      { name: 'app/both.txt', kind: 'add_add', sides: 'added/added' },
      { name: 'app/image.bin', kind: 'binary', sides: 'modified/modified' },
    ]);
  });

  it('reports a file that both sides renamed once, with all its names', async () => {
    diverge(
      () => tree.git('mv', 'a.txt', 'ours.txt'),
      () => repository.git('mv', 'a.txt', 'theirs.txt'),
    );
    expect(await conflicts()).toEqual([
      {
        name: 'app/a.txt',
        kind: 'rename_rename',
        sides: 'renamed/renamed',
        other_paths: ['app/ours.txt', 'app/theirs.txt'],
      },
    ]);
  });

  it('sees a file that one side deleted and the other renamed, and one against a folder', async () => {
    diverge(
      () => {
        tree.git('rm', '--quiet', 'a.txt');
        tree.write({ thing: 'a file\n' });
      },
      () => {
        repository.git('mv', 'a.txt', 'moved.txt');
        repository.write({ 'thing/inside.txt': 'a folder\n' });
      },
    );
    expect((await conflicts()).map(({ kind }) => kind).sort()).toEqual(['file_directory', 'rename_delete']);
  });

  it('merges a change of mode with one of content, and bears names with a line break', async () => {
    const name = 'two\nlines.txt';
    diverge(
      () => {
        chmodSync(path.join(tree.dir, 'a.txt'), 0o755);
        writeFileSync(path.join(tree.dir, name), 'ours\n');
      },
      () => {
        repository.write({ 'a.txt': 'one\nTWO\nthree\n' });
        writeFileSync(path.join(repository.dir, name), 'theirs\n');
      },
    );
    expect(await conflicts()).toEqual([{ name: `app/${name}`, kind: 'add_add', sides: 'added/added' }]);
  });

  it('tells the pointer of a large file from text', async () => {
    const idOf = (name: string) => createHash('sha256').update(name).digest('hex');
    const pointer = (name: string) => `version https://git-lfs.github.com/spec/v1\noid sha256:${idOf(name)}\nsize 9\n`;
    const attributes = { '.gitattributes': '*.psd filter=lfs diff=lfs merge=lfs -text\n' };
    diverge(
      () => tree.write({ ...attributes, 'a.psd': pointer('ours'), 'a.txt': 'zwei\n' }),
      () => repository.write({ ...attributes, 'a.psd': pointer('theirs'), 'a.txt': 'TWO\n' }),
    );
    const expected = [
      { name: 'app/a.psd', kind: 'lfs', sides: 'added/added' },
      { name: 'app/a.txt', kind: 'content', sides: 'modified/modified' },
    ];
    expect(await conflicts()).toEqual(expected);
    await box.host.updateBranch(workspace, { repo_name: 'app', method: 'merge', message: 'Work' });
    const { files } = (await standing()).operation!.report;
    expect(files).toMatchObject([
      { path: 'app/a.psd', kind: 'lfs', has_markers: true },
      { path: 'app/a.txt', kind: 'content' },
    ]);
    tree.write({ 'a.txt': 'both\n' });
    tree.git('add', '--all');
    await expect(box.host.continueUpdate(workspace, { repo_name: 'app', onto: null })).rejects.toMatchObject({
      code: 'conflicts_unresolved',
      details: { markers: ['app/a.psd'] },
    });
  });

  it('says that the target is gone, that nothing is in common, and that HEAD has left the branch', async () => {
    tree.write({ 'new.txt': 'new\n' });
    tree.commit('ours');
    repository.git('checkout', '--quiet', '--orphan', 'other');
    repository.commit('another root');
    repository.git('branch', '--quiet', '-D', 'main');
    expect(await standing()).toMatchObject({ target: null, preview: null, ahead: 0 });
    repository.git('branch', 'main', 'other');
    expect(await standing()).toMatchObject({ is_unrelated: true, preview: null });
    tree.git('checkout', '--quiet', '--detach');
    expect(await standing()).toMatchObject({ is_on_branch: false });
  });

  it('names a submodule that both sides moved, with what git says of it', async () => {
    const part = box.repository('part');
    const first = part.head;
    const [second, third] = [part.commit('second'), part.commit('third')];
    const link = (place: GitRepository, commit: string) => {
      place.git('update-index', '--add', '--cacheinfo', `160000,${commit},part`);
      place.git('commit', '--quiet', '--message', `part at ${commit}`);
    };
    link(repository, first);
    tree.git('reset', '--quiet', '--hard', repository.head);
    link(tree, second);
    link(repository, third);
    const [found] = (await standing()).preview!.conflict!.files;
    expect(found).toMatchObject({ path: 'app/part', kind: 'submodule', reason: expect.stringContaining('submodule') });
  });
});
