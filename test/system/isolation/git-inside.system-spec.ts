import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { GitRepository } from '../../support/git-repository.js';
import { onlyWith } from '../../support/machine.js';
import type { Json } from '../../support/mcp-client.js';

const AS_AGENT = `set -e
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
common=$(git rev-parse --path-format=absolute --git-common-dir 2>/dev/null) || true
`;

onlyWith('bubblewrap').describe('git behind bubblewrap', () => {
  const board = Board.use({ ISOLATION: 'bubblewrap' });
  let project_id: string;
  let repository: GitRepository;
  beforeAll(async () => {
    ({ project_id, repository } = await board.project());
    mkdirSync(path.join(repository.dir, '.git/info'), { recursive: true });
    writeFileSync(path.join(repository.dir, '.git/info/attributes'), '');
  });

  const ended = (script: string, project = project_id): Promise<Json> => board.endedAttempt(project, AS_AGENT + script);

  /** @returns the project's id */
  async function projectOf(...repositories: GitRepository[]): Promise<string> {
    const repos = repositories.map(({ dir }) => ({ path: dir, name: path.basename(dir) }));
    return (await board.rest.does('POST', '/api/projects', { name: 'Several', repos })).project_id as string;
  }

  it('commits, amends, branches, merges, tags, stashes and rebases', async () => {
    const { workspace_branch, state, final_message } = await ended(`
      echo one > a.txt; git add a.txt; git commit -qm one
      echo two >> a.txt; git commit -qam two; git commit -q --amend -m second
      own=$(git symbolic-ref --short HEAD)
      git checkout -q -b beside HEAD~1; echo b > b.txt; git add .; git commit -qm beside
      git checkout -q "$own"; git merge -q --no-edit beside; git tag of-an-agent
      echo three >> a.txt; git stash -q; git stash pop -q; git checkout -q -- a.txt
      git rebase -q --force-rebase HEAD~1
      git log --format=%s | wc -l; git status --porcelain | wc -l`);
    expect([state, final_message]).toEqual(['completed', '4\n0']);
    expect(repository.git('log', '-1', '--format=%an', workspace_branch as string)).toBe('a');
    expect(repository.git('fsck', '--strict')).not.toMatch(/error|missing/);
  });

  it.each([
    ['a hook', 'echo "exit 1" > "$common/hooks/post-commit"'],
    ['a hook in a new folder', 'mv "$common/hooks" "$common/old"'],
    ['the configuration', 'git config core.fsmonitor "touch /tmp/x"'],
    ['the configuration, by its file', 'echo "[core]" >> "$common/config"'],
    ['attributes', 'echo "* filter=x" >> "$common/info/attributes"'],
    ['where objects are borrowed from', 'echo /root > "$common/objects/info/alternates"'],
    ['the folder of the objects, by another', 'mv "$common/objects" "$common/others"'],
    ['the worktree of another', 'git worktree add -q ../other'],
  ])('does not write %s', async (_, attack) => {
    const before = readFileSync(path.join(repository.dir, '.git/config'), 'utf8');
    expect(await ended(attack)).toMatchObject({ state: 'failed' });
    expect(readFileSync(path.join(repository.dir, '.git/config'), 'utf8')).toBe(before);
    expect(readFileSync(path.join(repository.dir, '.git/info/attributes'), 'utf8')).toBe('');
    for (const made of ['hooks/post-commit', 'old', 'others', 'objects/info/alternates'])
      expect([made, existsSync(path.join(repository.dir, '.git', made))]).toEqual([made, false]);
  });

  it('reads a repository that borrows its objects from another one', async () => {
    const lender = board.repository();
    const borrower = board.repository();
    borrower.git('fetch', '-q', lender.dir, 'main:borrowed');
    writeFileSync(path.join(borrower.dir, '.git/objects/info/alternates'), `${lender.dir}/.git/objects\n`);
    borrower.git('repack', '-adlq');
    expect(await ended('git log borrowed --format=%s; git fsck', await projectOf(borrower))).toMatchObject({
      state: 'completed',
    });
  });

  it('fills a submodule', async () => {
    const [lib, app] = [board.repository({ 'lib.txt': 'of the library' }), board.repository()];
    app.git('submodule', '--quiet', 'add', lib.dir, 'lib');
    app.commit('with a library');
    const script = `cd ${path.basename(app.dir)}
      git -c protocol.file.allow=always submodule --quiet update; cat lib/lib.txt`;
    expect(await ended(script, await projectOf(app, lib))).toMatchObject({
      state: 'completed',
      final_message: 'of the library',
    });
  });

  it.each([
    ['where it says', (dir: string) => dir],
    ['beside its own', (dir: string) => `../${path.basename(dir)}`],
  ])('fills a submodule that nobody has initialised, from %s', async (_, urlOf) => {
    const [lib, app] = [board.repository({ 'lib.txt': 'of the library' }), board.repository()];
    app.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', urlOf(lib.dir), 'lib');
    app.commit('with a library');
    app.git('config', '--remove-section', 'submodule.lib');
    const script = `cd ${path.basename(app.dir)}
      git -c protocol.file.allow=always submodule --quiet update --init; cat lib/lib.txt`;
    expect(await ended(script, await projectOf(app, lib))).toMatchObject({
      state: 'completed',
      final_message: 'of the library',
    });
    expect(app.git('config', '--list')).not.toContain('submodule.');
  });

  onlyWith('git-lfs').it('stores large files', async () => {
    const large = board.repository({ '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' });
    for (const [name, command] of Object.entries({ clean: 'clean -- %f', smudge: 'smudge -- %f' }))
      large.git('config', `filter.lfs.${name}`, `git-lfs ${command}`);
    large.write({ 'first.bin': 'large' });
    large.commit('a large file');
    const script =
      'cat first.bin; echo larger > second.bin; git add .; git commit -qm more; git cat-file -p :second.bin';
    const { state, final_message } = await ended(script, await projectOf(large));
    expect([state, final_message]).toEqual(['completed', expect.stringContaining('git-lfs.github.com/spec')]);
  });
});
