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
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AttackGround } from '../support/attack-ground.js';
import { givenEndedAttempt } from '../support/board.js';
import type { GitRepository } from '../support/git-repository.js';

const SECRET = 'not-for-callers';
const ground = AttackGround.useRoot({ SHELL_EXECUTOR: 'on' });

describe('S7: git runs what a repository plants', () => {
  /** Leaves a mark where anything calls it. */
  let program: string;
  let mark: string;
  beforeAll(() => {
    [program, mark] = [ground.repositories.path('planted'), ground.repositories.path('ran')];
    writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${mark}'\ncat 2>/dev/null || true\n`);
    chmodSync(program, 0o755);
    const repository = planted();
    repository.git('config', 'filter.planted.clean', program);
    repository.write({ 'a.txt': 'more\n' });
    repository.git('add', '.'); // as a person's own git does
    expect(existsSync(mark)).toBe(true);
    rmSync(mark);
  });

  /** All that has left its mark, by its path. */
  const ran = (): string => (existsSync(mark) ? readFileSync(mark, 'utf8') : '');
  /** The program by a name of its own. */
  function named(name: string): string {
    const file = ground.repositories.path(`by-${name}`);
    if (!existsSync(file)) symlinkSync(program, file);
    return file;
  }

  /** Everything that the server does with git between the first look at a repository and its end. */
  async function live(repository: GitRepository): Promise<void> {
    const repos = [{ path: repository.dir, name: 'web' }];
    const { project_id } = await ground.rest.does('POST', '/api/projects', { name: 'Planted', repos });
    await ground.rest.does('PUT', `/api/projects/${project_id}`, { auto_commit: 'per_turn' });
    const { attempt_id, task_id, state, failure_summary } = await givenEndedAttempt(
      ground.kanban,
      project_id as string,
      'echo b > b.txt; echo c >> a.txt',
    );
    expect([state, failure_summary]).toEqual(['completed', null]);
    const changes = await ground.kanban.call('get_attempt_changes', { attempt_id, force: true, detail: true });
    expect(changes.files).toEqual(['web/a.txt', 'web/b.txt']);
    await ground.kanban.call('get_attempt_patch', { attempt_id, paths: ['web'] });
    await ground.kanban.call('get_attempt_file', { attempt_id, path: 'web/a.txt' });
    await ground.kanban.call('delete_task', { task_id });
  }

  const planted = (): GitRepository =>
    ground.rooted.repository(`planted-${readdirSync(ground.rooted.dir).length}`, {
      'a.txt': 'a\n',
      '.gitattributes': '* filter=planted diff=planted merge=planted\n',
    });

  describe('S7: programs that its configuration names', () => {
    /** In four repositories, as some keep others from being used. */
    const together = [
      [
        ...['filter.planted.clean', 'filter.planted.smudge', 'filter.lfs.clean', 'diff.planted.textconv'],
        ...['merge.planted.driver', 'mergetool.planted.cmd', 'difftool.planted.cmd', 'trailer.planted.command'],
        ...['core.pager', 'pager.diff', 'core.editor', 'sequence.editor', 'core.askPass', 'interactive.diffFilter'],
        ...['core.sshCommand', 'core.gitProxy', 'core.alternateRefsCommand', 'credential.helper'],
        ...['gpg.program', 'gpg.ssh.program', 'gpg.ssh.defaultKeyCommand'],
        ...['uploadpack.packObjectsHook', 'remote.origin.uploadpack', 'remote.origin.vcs'],
        ...['alias.diff', 'alias.commit', 'alias.worktree', 'alias.ls-files'],
      ],
      ['filter.planted.process', 'diff.planted.command'],
      ['diff.external'],
      ['core.fsmonitor'],
    ];
    beforeAll(async () => {
      for (const keys of together) {
        const repository = planted();
        for (const key of keys) repository.git('config', key, `${key.startsWith('alias.') ? '!' : ''}${named(key)}`);
        for (const flag of ['commit.gpgSign', 'filter.planted.required']) repository.git('config', flag, 'true');
        repository.git('config', 'trailer.planted.key', 'Planted');
        await live(repository);
      }
    });
    it.each(together.flat())('%s', (key) => expect(ran()).not.toContain(named(key)));
  });

  describe('S7: hooks, of itself and where core.hooksPath leads', () => {
    const hooks = ['pre-commit', 'post-checkout', 'post-commit', 'reference-transaction', 'post-index-change'];
    beforeAll(async () => {
      const repository = planted();
      const elsewhere = ground.repositories.path('hooks');
      mkdirSync(elsewhere);
      for (const folder of [`${repository.dir}/.git/hooks`, elsewhere]) {
        for (const hook of hooks) symlinkSync(named(hook), path.join(folder, hook));
      }
      await live(repository);
      repository.git('config', 'core.hooksPath', elsewhere);
      await live(repository);
    });
    it.each(hooks)('%s', (hook) => expect(ran()).not.toContain(hook));
  });

  it.each(['include.path', 'includeIf.gitdir:/.path', 'includeIf.onbranch:**.path'])(
    'a file included by %s',
    async (key) => {
      const repository = planted();
      const included = ground.repositories.path(`included-${key.length}`);
      writeFileSync(
        included,
        `[filter "planted"]\n\tclean = ${program}\n\tsmudge = ${program}\n[core]\n\tfsmonitor = ${program}\n`,
      );
      repository.git('config', key, included);
      await live(repository);
      expect(existsSync(mark)).toBe(false);
    },
  );

  it('settings of the worktree alone', async () => {
    const repository = planted();
    repository.git('config', 'extensions.worktreeConfig', 'true');
    repository.git('config', '--worktree', 'filter.planted.clean', program);
    const { project_id } = await ground.rest.does('POST', '/api/projects', {
      name: 'x',
      repos: [{ path: repository.dir, name: 'web' }],
    });
    const keys = ['filter.planted.clean', 'core.fsmonitor'];
    const script =
      keys.map((key) => `git config --worktree ${key} '${program}'; `).join('') + `echo x > a.txt; rm -f '${mark}'`;
    const { attempt_id } = await givenEndedAttempt(ground.kanban, project_id as string, script);
    await ground.kanban.call('get_attempt_changes', { attempt_id });
    expect(existsSync(mark)).toBe(false);
  });

  it('a submodule that the run has filled', async () => {
    const library = ground.rooted.repository('library', { 'l.txt': 'l\n' });
    const repository = ground.rooted.repository('with-library', { 'a.txt': 'a\n' });
    repository.git('submodule', '--quiet', 'add', library.dir, 'lib');
    repository.commit('submodule');
    const { project_id } = await ground.rest.does('POST', '/api/projects', {
      name: 'x',
      repos: [{ path: repository.dir, name: 'web' }],
    });
    const script =
      `cd lib && git clone -q '${library.dir}' . && git config filter.planted.clean '${program}' && ` +
      `git config core.fsmonitor '${program}' && echo '* filter=planted' > .git/info/attributes && echo m > l.txt`;
    const { attempt_id } = await givenEndedAttempt(ground.kanban, project_id as string, `${script}; rm -f '${mark}'`);
    await ground.kanban.call('get_attempt_changes', { attempt_id });
    expect(existsSync(mark)).toBe(false);
  });

  it.each<[string, (dir: string) => string]>([
    ['the pointer of another repository', (dir) => `rm -rf .git; echo 'gitdir: ${dir}/.git' > .git`],
    [
      'a pointer with another worktree',
      () =>
        'd=$(mktemp -d -p "$PWD/.."); git init -q $d; git -C $d config core.worktree /etc; ' +
        'rm -rf .git; echo "gitdir: $d/.git" > .git',
    ],
    ['a link', () => 'mv .git ../kept; ln -s ../kept .git'],
    ['a link to another repository', (dir) => `rm -rf .git; ln -s '${dir}/.git' .git`],
    ['another commondir', (dir) => `echo '${dir}/.git' > .git/commondir`],
    ['a HEAD elsewhere', (dir) => `ln -sf '${dir}/.git/HEAD' .git/HEAD`],
    ['objects elsewhere', (dir) => `rm -rf .git/objects; ln -s '${dir}/.git/objects' .git/objects`],
  ])('%s makes a patch show other files', async (_, script) => {
    const { attempt_id, reads } = await looked(script);
    for (const [tool, args] of reads) {
      const refused = await ground.kanban.refused(tool, { attempt_id, ...args });
      expect([refused.code, JSON.stringify(refused).includes(SECRET)]).toEqual(['workspace_lost', false]);
    }
  });

  it.each<[string, (dir: string) => string]>([
    ['a worktree elsewhere', (dir) => `git config core.worktree '${dir}'`],
    ['settings elsewhere', (dir) => `ln -sf '${dir}/.git/config' .git/config; rm .git/index`],
    ['an index elsewhere', (dir) => `ln -sf '${dir}/.git/index' .git/index`],
  ])('%s makes them show other files', async (_, script) => {
    const { attempt_id, reads } = await looked(script);
    for (const [name, args] of reads) {
      const { content } = await ground.kanban.sdk.callTool({ name, arguments: { attempt_id, ...args } });
      expect(JSON.stringify(content)).not.toContain(`+${SECRET}`);
    }
  });

  /** What a run has left, and how it is looked at. */
  async function looked(script: (dir: string) => string) {
    const name = `other-${readdirSync(ground.rooted.dir).length}`;
    const other = ground.rooted.repository(name, { [`${SECRET}.txt`]: SECRET });
    const { project_id } = await ground.rootedProject();
    const { attempt_id } = await givenEndedAttempt(ground.kanban, project_id, script(other.dir));
    const reads: [tool: string, args: object][] = [
      ['get_attempt_changes', { force: true }],
      ['get_attempt_patch', { force: true, paths: ['web'] }],
    ];
    return { attempt_id, reads };
  }
});
