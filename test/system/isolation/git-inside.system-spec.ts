import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { untouched } from '../../support/folder-bytes.js';
import type { GitRepository } from '../../support/git-repository.js';
import { onlyWith } from '../../support/machine.js';
import type { Json } from '../../support/mcp-client.js';

const AS_AGENT = `set -e
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
`;

onlyWith('bubblewrap').describe('git behind bubblewrap', () => {
  const board = Board.use({ ISOLATION: 'bubblewrap' });
  let project_id: string;
  let repository: GitRepository;
  beforeAll(async () => {
    ({ project_id, repository } = await board.project());
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
      git log --format=%s | wc -l; git status --porcelain | wc -l; git gc -q`);
    expect([state, final_message]).toEqual(['completed', '4\n0']);
    expect(repository.git('log', '-1', '--format=%an', workspace_branch as string)).toBe('a');
    expect(repository.git('fsck', '--strict')).not.toMatch(/error|missing/);
  });

  it.each([
    ['a hook', 'for one in post-commit post-checkout post-index-change; do cp "$run" .git/hooks/$one; done'],
    ['settings', 'git config core.fsmonitor "$run"; git config filter.x.clean "$run"; git config diff.external "$run"'],
    ['settings elsewhere', 'git config core.hooksPath "$PWD"; git config include.path "$PWD/../settings"'],
    [
      'settings of the worktree',
      'git config extensions.worktreeConfig true; git config --worktree core.fsmonitor "$run"',
    ],
    ['attributes', 'echo "* filter=x diff=x merge=x" > .git/info/attributes; git config filter.x.clean "$run"'],
    ['lenders', 'echo /root >> .git/objects/info/alternates'],
    ['worktrees', 'git worktree add -q ../other; echo "$PWD" > ../other/.git'],
  ])('takes %s of a run for its own alone', async (_, planted) => {
    const { project_id, repository } = await board.project();
    repository.git('checkout', '-q', '-b', 'elsewhere');
    const expectUntouched = untouched(repository);
    const script = `mkdir -p .git/hooks; run=$PWD/../run.sh; echo new > new.txt
      printf '#!/bin/sh\ntouch "%s/ran"; cat' "$PWD" > "$run"; chmod +x "$run"; ${planted}`;
    const { attempt_id, state } = await ended(script, project_id);
    expect(state).toBe('completed');
    expect((await board.kanban.call('get_attempt_changes', { attempt_id })).files).toEqual(['web/new.txt']);
    expectUntouched();
    expect((await board.kanban.call('merge_attempt', { attempt_id })).repos[0].status).toBe('landed');
    expect(repository.git('show', '--format=', '--name-only', 'main')).toBe('new.txt');
    expect(existsSync(`${board.server.environment.DATA_DIR}/worktrees/${attempt_id}/web/ran`)).toBe(false);
  });

  it('reads a repository that borrows its objects from another one', async () => {
    const lender = board.repository();
    const borrower = board.repository();
    borrower.git('fetch', '-q', lender.dir, 'main:borrowed');
    writeFileSync(path.join(borrower.dir, '.git/objects/info/alternates'), `${lender.dir}/.git/objects\n`);
    borrower.git('repack', '-adlq');
    const borrowed = borrower.git('rev-parse', 'borrowed');
    expect(await ended(`git log ${borrowed} --format=%s; git fsck`, await projectOf(borrower))).toMatchObject({
      state: 'completed',
    });
  });

  it.each([
    ['where it says', (dir: string) => dir],
    ['beside its own', (dir: string) => `../${path.basename(dir)}`],
  ])('fills a submodule from another repository of the attempt, %s', async (_, urlOf) => {
    const [lib, app] = [board.repository({ 'lib.txt': 'of the library' }), board.repository()];
    app.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', urlOf(lib.dir), 'lib');
    app.commit('with a library');
    const expectUntouched = untouched(app);
    // the user's own repository is not there, apart from its objects
    const script = `cd ${path.basename(app.dir)}
      git submodule --quiet init; git config submodule.lib.url "$PWD/../${path.basename(lib.dir)}"
      git -c protocol.file.allow=always submodule --quiet update; cat lib/lib.txt`;
    expect(await ended(script, await projectOf(app, lib))).toMatchObject({
      state: 'completed',
      final_message: 'of the library',
    });
    expectUntouched();
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
