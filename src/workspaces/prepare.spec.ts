import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitRepository } from '../../test/support/git-repository.js';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';

describe('prepare', () => {
  let box: WorkspaceSandbox;
  beforeEach(() => {
    box = new WorkspaceSandbox();
  });
  afterEach(() => box.remove());

  it('makes branch and worktree, answers the base commit and leaves the checkout of the user alone', async () => {
    const app = box.repository('app', { 'src/a.txt': 'a\n', 'run.sh': '#!/bin/sh\n' });
    app.write({ 'draft.txt': 'the user is at work\n', 'src/a.txt': 'changed by the user\n' });
    const before = app.checkout();
    const config = readFileSync(path.join(app.dir, '.git/config'), 'utf8');
    const workspace = box.workspace([app]);
    expect(await box.host.prepare(workspace)).toEqual({ app: app.head });
    const tree = box.tree(workspace);
    expect(tree.dir).toBe(path.join(box.dataDir, 'worktrees', workspace.attempt_id, 'app'));
    expect(readFileSync(path.join(tree.dir, 'src/a.txt'), 'utf8')).toBe('a\n');
    expect(tree.git('branch', '--show-current')).toBe(workspace.branch);
    expect(tree.git('status', '--porcelain')).toBe('');
    expect(readFileSync(path.join(app.dir, '.git/config'), 'utf8')).toBe(config);
    expect(app.checkout()).toEqual(before);
  });

  it('runs no hook of the user and sets no upstream', async () => {
    const app = box.repository('app');
    app.write({ '.git/hooks/post-checkout': `#!/bin/sh\ntouch ${box.path('hook-ran')}\nexit 1\n` });
    chmodSync(path.join(app.dir, '.git/hooks/post-checkout'), 0o755);
    app.git('config', 'branch.autoSetupMerge', 'always');
    const workspace = await box.prepared(app);
    expect(existsSync(box.path('hook-ran'))).toBe(false);
    expect(() => app.git('config', `branch.${workspace.branch}.merge`)).toThrow();
  });

  it('takes a local branch first, then a remote-tracking one, by either name', async () => {
    const origin = box.repository('origin');
    origin.git('branch', 'feature/x');
    origin.git('clone', '--quiet', origin.dir, box.path('app'));
    const app = new GitRepository(box.path('app'));
    for (const name of ['feature/x', 'origin/feature/x', 'main', 'origin/main']) {
      expect(await box.host.branchExists(app.dir, name)).toBe(true);
      expect(await box.host.prepare(box.workspace([app], name))).toEqual({ app: origin.head });
    }
    app.write({ 'more.txt': 'local' });
    const ahead = app.commit('ahead of origin');
    expect(await box.host.prepare(box.workspace([app], 'main'))).toEqual({ app: ahead });
    expect(await box.host.prepare(box.workspace([app], 'origin/main'))).toEqual({ app: origin.head });
  });

  it.each(['nope', 'ma*', 'main^', 'HEAD', '--all', 'main\nmain', 'ma\0in', '', 'main/', 'refs/heads/main'])(
    'refuses the unknown branch %j and says which there are',
    async (name) => {
      const app = box.repository('app');
      expect(await box.host.branchExists(app.dir, name)).toBe(false);
      const refusal = box.host.prepare(box.workspace([app], name));
      await expect(refusal).rejects.toMatchObject({
        code: 'branch_unknown',
        details: { repo_name: 'app', target_branch: name, known: ['main'] },
      });
      expect(app.branches()).toEqual(['main']);
      expect(readdirSync(path.join(box.dataDir, 'worktrees'))).toEqual([]);
    },
  );

  it.each([
    ['as files', []],
    ['packed', ['pack-refs', '--all']],
  ])('takes the branch of a first try with what was committed there, refs kept %s', async (_, pack) => {
    const app = box.repository('app');
    const workspace = box.workspace([app]);
    const commit = app.git('commit-tree', '-p', 'main', '-m', 'from the first try', 'main^{tree}');
    app.git('branch', workspace.branch, commit);
    if (pack.length > 0) app.git(...pack);
    const prepared = await box.prepare(workspace);
    expect([box.tree(prepared).head, prepared.repos[0]!.base_commit]).toEqual([commit, app.git('rev-parse', 'main')]);
    expect((await box.prepare(prepared)).repos[0]!.base_commit).toBe(app.git('rev-parse', 'main'));
  });

  it('takes back what it made when a later repository fails', async () => {
    const [one, two] = [box.repository('one'), box.repository('two')];
    const workspace = box.workspace([one, two]);
    workspace.repos[1]!.target_branch = 'nope';
    await expect(box.host.prepare(workspace)).rejects.toMatchObject({ code: 'branch_unknown' });
    expect(one.branches()).toEqual(['main']);
    expect(one.worktrees()).toEqual([one.dir]);
    expect(existsSync(box.host.workingDirectory(workspace))).toBe(false);
    workspace.repos[1]!.target_branch = 'main';
    expect(await box.host.prepare(workspace)).toEqual({ one: one.head, two: two.head });
    expect(readdirSync(box.host.workingDirectory(workspace))).toEqual(['one', 'two']);
  });

  it('names the place where agents work: the worktree, or the folder of all', () => {
    const [one, two] = [box.repository('one'), box.repository('two')];
    const single = box.workspace([one]);
    const both = box.workspace([one, two]);
    expect(box.host.workingDirectory(single)).toBe(path.join(box.dataDir, 'worktrees', single.attempt_id, 'one'));
    expect(box.host.workingDirectory(both)).toBe(path.join(box.dataDir, 'worktrees', both.attempt_id));
  });

  it.each(['..', '.', '.GIT', 'a/b', 'a"b', 'a\nb', ''])('never makes a folder of the name %j', async (repo_name) => {
    const app = box.repository('app');
    const workspace = box.workspace([app]);
    workspace.repos[0]!.repo_name = repo_name;
    await expect(box.host.prepare(workspace)).rejects.toMatchObject({ code: 'repo_invalid' });
    expect(app.branches()).toEqual(['main']);
  });

  it('refuses a repository that is gone, no repository or empty', async () => {
    const app = box.repository('app');
    const gone = box.workspace([app]);
    gone.repos[0]!.repo_path = box.path('nowhere');
    await expect(box.host.prepare(gone)).rejects.toMatchObject({ code: 'repo_invalid', details: { repo_name: 'app' } });
    gone.repos[0]!.repo_path = box.dir;
    await expect(box.host.prepare(gone)).rejects.toMatchObject({ code: 'repo_invalid' });
    const empty = new GitRepository(box.path('empty'));
    empty.init();
    await expect(box.host.prepare(box.workspace([empty]))).rejects.toMatchObject({
      code: 'branch_unknown',
      details: { known: [] },
    });
  });

  it('prepares eight attempts of one repository at once', async () => {
    const app = box.repository('app');
    const before = app.checkout();
    const workspaces = Array.from({ length: 8 }, () => box.workspace([app]));
    const bases = await Promise.all(workspaces.map((workspace) => box.host.prepare(workspace)));
    expect(bases).toEqual(workspaces.map(() => ({ app: before.head })));
    for (const workspace of workspaces)
      expect(box.tree(workspace).git('status', '--porcelain', '--branch')).toBe(`## ${workspace.branch}`);
    expect(app.checkout()).toEqual(before);
  });

  it('prepares one attempt asked for twice at once', async () => {
    const app = box.repository('app');
    const workspace = box.workspace([app]);
    expect(await Promise.all([box.host.prepare(workspace), box.host.prepare(workspace)])).toEqual([
      { app: app.head },
      { app: app.head },
    ]);
  });

  it('works beside a git that holds index or packed refs, and says when its own branch is locked', async () => {
    const app = box.repository('app');
    for (const lock of ['index.lock', 'packed-refs.lock']) writeFileSync(path.join(app.dir, '.git', lock), '');
    const workspace = box.workspace([app]);
    await box.host.prepare(workspace);
    const locked = box.workspace([app]);
    app.write({ [`.git/refs/heads/${locked.branch}.lock`]: '' });
    await expect(box.host.prepare(locked)).rejects.toMatchObject({ code: 'repo_locked', row: { retryable: true } });
    expect(existsSync(box.tree(locked).dir)).toBe(false);
    for (const lock of ['index.lock', 'packed-refs.lock'])
      expect(existsSync(path.join(app.dir, '.git', lock))).toBe(true);
    rmSync(path.join(app.dir, '.git/refs/heads', `${locked.branch}.lock`));
    await box.host.prepare(locked);
  });

  it('ignores what the user ignores in all repositories, for the run and for who looks', async () => {
    const app = box.repository('app');
    app.write({ 'names.txt': '*.swp\n', '.git/info/exclude': '*.own\nnames.txt\n' });
    app.git('config', 'core.excludesFile', path.join(app.dir, 'names.txt'));
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    tree.write({ 'a.swp': 'x', 'b.own': 'x' });
    expect([tree.git('status', '--porcelain'), await box.host.isDirty(workspace)]).toEqual(['', false]);
  });

  it('leaves submodules empty without failing', async () => {
    const library = box.repository('library');
    const app = box.repository('app');
    app.git('submodule', '--quiet', 'add', library.dir, 'lib');
    app.commit('submodule');
    app.git('config', 'submodule.recurse', 'true');
    const workspace = await box.prepared(app);
    expect(readdirSync(path.join(box.tree(workspace).dir, 'lib'))).toEqual([]);
    expect(await box.host.isDirty(workspace)).toBe(false);
  });

  it('works with a bare repository and with a data folder behind a link', async () => {
    const app = box.repository('app');
    app.git('clone', '--quiet', '--bare', app.dir, box.path('bare.git'));
    mkdirSync(box.path('real'));
    symlinkSync(box.path('real'), box.path('link'));
    const other = new WorkspaceSandbox({ within: box, dataDir: box.path('link') });
    const workspace = await other.prepared(new GitRepository(box.path('bare.git')));
    expect(other.tree(workspace).dir.startsWith(box.path('real'))).toBe(true);
    await other.host.dispose(workspace, { deleteBranch: true });
    expect(readdirSync(box.path('real/worktrees'))).toEqual(['.trash']);
  });

  it('never works on the repository that holds the data folder', async () => {
    const outer = box.repository('outer', { 'data/.gitignore': '', 'precious.txt': 'user' });
    const app = box.repository('app');
    const inner = new WorkspaceSandbox({ within: box, dataDir: path.join(outer.dir, 'data') });
    const workspace = await inner.prepared(app);
    const before = outer.checkout().head;
    outer.write({ 'precious.txt': 'uncommitted' });
    rmSync(path.join(inner.tree(workspace).dir, '.git'), { recursive: true });
    await expect(
      inner.host.changes(workspace, { guard: { max_files: 1, max_lines: 1, max_bytes: 1 }, force: true }),
    ).rejects.toMatchObject({ code: 'workspace_lost' });
    await inner.host.dispose(workspace, { deleteBranch: true });
    expect(readFileSync(path.join(outer.dir, 'precious.txt'), 'utf8')).toBe('uncommitted');
    expect(outer.head).toBe(before);
  });
});
