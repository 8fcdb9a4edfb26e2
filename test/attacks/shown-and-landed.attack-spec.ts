import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AttackGround } from '../support/attack-ground.js';
import { givenEndedAttempt, givenProject } from '../support/board.js';
import type { GitRepository } from '../support/git-repository.js';
import { onlyWith } from '../support/machine.js';

const AS_AGENT = 'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; ';
const KEYS = [
  ...['merge.x.driver', 'filter.x.clean', 'filter.x.smudge', 'filter.x.process', 'diff.x.command', 'diff.x.textconv'],
  ...['diff.external', 'core.fsmonitor', 'core.editor', 'core.pager', 'gpg.program', 'alias.diff', 'alias.status'],
  ...['merge.default', 'core.alternateRefsCommand', 'uploadpack.packObjectsHook', 'core.sshCommand'],
];

const APP = 'src/app.js';
/** Attributes, each for a file of its own. */
const HIDING = ['-diff', 'binary', 'diff=none', '-text -diff', 'export-ignore -diff linguist-generated'];
const hidden = (_: unknown, at: number): string => `src/hidden-${at}.js`;

onlyWith('bubblewrap').describe('what a reviewer is shown of a run that hides it, behind bubblewrap', () => {
  const ground = AttackGround.use({ ISOLATION: 'bubblewrap' });
  let project_id: string;
  let repository: GitRepository;
  let program: string;
  beforeAll(() => {
    program = ground.repositories.path('planted');
    writeFileSync(program, `#!/bin/sh\ntouch '${program}-ran'; cat\n`);
    chmodSync(program, 0o755);
  });
  beforeEach(async () => {
    const harmless = Object.fromEntries([APP, ...HIDING.map(hidden)].map((file) => [file, 'harmless\n']));
    const files = { 'readme.md': '# hello\n', 'both.txt': 'base\n', ...harmless };
    ({ project_id, repository } = await givenProject(ground.server, { files }));
    repository.git('checkout', '-q', '-b', 'elsewhere');
  });

  /** What is shown of these files, and what lands of them. */
  async function reviewed(script: string, files = [APP]): Promise<{ shown: string; landed: string; ran: boolean }> {
    const { attempt_id } = await givenEndedAttempt(ground.kanban, project_id, AS_AGENT + script);
    const { files: changed } = await ground.kanban.call('get_attempt_changes', { attempt_id, force: true });
    const { patch } = await ground.kanban.call('get_attempt_patch', { attempt_id, force: true, paths: ['web'] });
    await ground.kanban.call('get_attempt_delivery', { attempt_id });
    const { repos } = await ground.kanban.call('merge_attempt', { attempt_id });
    expect(['landed', 'already_delivered', 'nothing_to_deliver']).toContain(repos[0].status);
    const inTree = existsSync(path.join(ground.dataDir, 'worktrees', attempt_id as string, 'web/ran'));
    const shown = (file: string): string =>
      (changed as string[]).includes(`web/${file}`) ? shownIn(patch as string, file) : 'harmless';
    return {
      shown: files.map(shown).join(' '),
      landed: files.map((file) => repository.git('show', `main:${file}`)).join(' '),
      ran: inTree || existsSync(`${program}-ran`),
    };
  }
  const shownIn = (patch: string, file: string): string =>
    /^\+(.*)$/m.exec(patch.split(`\n+++ b/web/${file}\n`)[1] ?? '')?.[1] ?? 'nothing';
  const EVIL = { shown: 'evil', landed: 'evil', ran: false };

  describe('S4: drivers, filters, hooks and attributes', () => {
    const inside = `run="$PWD/../planted"; printf '#!/bin/sh\\ntouch "%s/ran"; cat' "$PWD" > "$run"; chmod +x "$run"; `;
    const edit = 'echo evil > src/app.js; ';
    it('run by settings of the run, of its worktree, that it includes, and by hooks', async () => {
      const planted =
        'git config extensions.worktreeConfig true; mkdir -p .git/hooks; ' +
        `for key in ${KEYS.join(' ')}; do ` +
        'git config $key "$run"; git config --worktree $key "$run"; git config -f ../settings $key "$run"; done; ' +
        'git config includeIf.gitdir:/.path "$PWD/../settings"; git config include.path "$PWD/../settings"; ' +
        'for one in pre-commit commit-msg post-commit post-checkout pre-merge-commit ' +
        'post-index-change reference-transaction fsmonitor-watchman; do cp "$run" .git/hooks/$one; done; ';
      const attributes = 'echo "* filter=x diff=x merge=x" | tee .gitattributes > .git/info/attributes; ';
      expect(await reviewed(`${inside}mkdir -p .git/info; ${edit}${attributes}${planted}`)).toEqual(EVIL);
    });

    it('run by settings and hooks of the user, in a merge of both sides', async () => {
      for (const key of KEYS.filter((name) => name !== 'core.fsmonitor'))
        repository.git('config', key, key.startsWith('alias.') ? `!${program}` : program);
      repository.git('config', 'extensions.worktreeConfig', 'true');
      repository.git('config', 'merge.x.driver', `${program} %O %A %B`);
      for (const hook of [
        'pre-commit',
        'post-commit',
        'reference-transaction',
        'pre-receive',
        'update',
        'post-receive',
      ]) {
        writeFileSync(`${repository.dir}/.git/hooks/${hook}`, `#!/bin/sh\ntouch '${program}-ran'\n`);
        chmodSync(`${repository.dir}/.git/hooks/${hook}`, 0o755);
      }
      writeFileSync(`${repository.dir}/.git/info/attributes`, '*.js filter=x diff=x\n*.txt merge=x\n');
      const { head } = repository;
      const entries = repository
        .git('ls-tree', head)
        .split('\n')
        .filter((line) => !line.endsWith('both.txt'));
      const blob = repository.gitWith('theirs\n', 'hash-object', '-w', '--no-filters', '--stdin');
      const tree = repository.gitWith([...entries, `100644 blob ${blob}\tboth.txt`, ''].join('\n'), 'mktree');
      const theirs = repository.git('commit-tree', tree, '-p', head, '-m', 'theirs');
      repository.git('-c', 'core.hooksPath=/dev/null', 'update-ref', 'refs/heads/main', theirs);
      expect(await reviewed(edit)).toEqual(EVIL);
    });

    it(`hide code by the attributes ${HIDING.join(', ')}`, async () => {
      const lines = (folder: string) =>
        HIDING.map((attribute, at) => `'${folder}hidden-${at}.js ${attribute}'`).join(' ');
      const attributes =
        `printf '%s\\n' ${lines('src/')} | tee .gitattributes > .git/info/attributes; ` +
        `printf '%s\\n' ${lines('')} > src/.gitattributes; `;
      const files = HIDING.map(hidden);
      const evil = files.map(() => 'evil').join(' ');
      const script = `mkdir -p .git/info; ${attributes}for one in src/hidden-*.js; do echo evil > $one; done`;
      expect(await reviewed(script, files)).toEqual({ shown: evil, landed: evil, ran: false });
    });
  });

  describe('S5: other objects, parents, or flags than those that land', () => {
    const committed = 'echo evil > src/app.js; git commit -qam evil; evil=$(git rev-parse HEAD:src/app.js); ';
    const swapped = 'good=$(git rev-parse HEAD~1:src/app.js); git replace -f $evil $good; ';
    it.each([
      ['a replaced file', 'harmless', `${committed}${swapped}rm src/app.js; git checkout -q -- src/app.js`],
      [
        'a replaced folder',
        'evil',
        `${committed}git replace -f HEAD:src HEAD~1:src; rm -rf src; git checkout -q -- src`,
      ],
      ['a replaced commit', 'evil', `${committed}git replace -f HEAD HEAD~1`],
      ['a replaced base', 'evil', `${committed}git replace -f HEAD~1 HEAD`],
      ['grafts', 'evil', `${committed}mkdir -p .git/info; git rev-parse HEAD > .git/info/grafts`],
      ['a cut history', 'evil', `${committed}git rev-parse HEAD > .git/shallow`],
      ['a packed replacement', 'evil', `${committed}${swapped}git pack-refs --all; git checkout -q -- .`],
    ])('%s', async (_, landed, script) => {
      expect(await reviewed(script)).toEqual({ shown: landed, landed, ran: false });
    });

    it('files on disk that its index does not look at, by assume-unchanged and skip-worktree', async () => {
      const files = HIDING.map(hidden).slice(0, 2);
      const write = (text: string) => files.map((file) => `echo ${text} > ${file}; `).join('');
      const flags = `git update-index --assume-unchanged ${files[0]}; git update-index --skip-worktree ${files[1]}; `;
      const { shown, landed } = await reviewed(
        `${write('evil1234')}git commit -qam evil; ${flags}${write('harmless')}`,
        files,
      );
      expect(shown).toBe(landed);
    });

    it('a file that was written anew within the second of its commit, with the time that it had', async () => {
      const wrote = (text: string) => `echo ${text} > src/app.js; touch -d @1700000000 src/app.js; `;
      const { shown, landed } = await reviewed(
        `until ${wrote('evil1234')}git add src/app.js; ${wrote('harmless')}git diff --quiet; do :; done; ` +
          'git commit -qm x',
      );
      expect([shown, landed]).toEqual(['evil1234', 'evil1234']);
    });

    it.each([
      ['evil', 'harmless'],
      ['harmless', 'evil'],
    ])('an index that says its folders are others than its files (%s, shown %s)', async (folder, file) => {
      const forge = `'${process.execPath}' -e '
        const { readFileSync, writeFileSync } = require("fs"); const { createHash } = require("crypto");
        const [from, to] = process.argv.slice(1).map((id) => Buffer.from(id, "hex"));
        const index = readFileSync(".git/index").subarray(0, -20);
        to.copy(index, index.indexOf(from));
        writeFileSync(".git/index", Buffer.concat([index, createHash("sha1").update(index).digest()]));'`;
      const { shown, landed } = await reviewed(
        `echo evil > src/app.js; git commit -qam evil; evil=$(git rev-parse HEAD:src/app.js); ` +
          `harmless=$(git rev-parse HEAD~1:src/app.js); ` +
          `[ ${folder} = evil ] || { git checkout -q HEAD~1 -- src/app.js; git commit -qm back; }; ` +
          `git read-tree HEAD; ${forge} $${folder} $${file}; echo ${file} > src/app.js; echo other > other.txt`,
      );
      expect(shown).toBe(landed);
    });
  });
});
