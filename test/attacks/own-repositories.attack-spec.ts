import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { AttackGround } from '../support/attack-ground.js';
import { givenEndedAttempt, givenProject } from '../support/board.js';
import { bytesBelow, untouched } from '../support/folder-bytes.js';
import { GitRepository } from '../support/git-repository.js';
import { onlyWith } from '../support/machine.js';
import type { Json } from '../support/mcp-client.js';

const SECRET = 'not-for-callers';
const AS_AGENT = 'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; ';

onlyWith('bubblewrap').describe('a run that bends its own repository, behind bubblewrap', () => {
  const ground = AttackGround.use({ ISOLATION: 'bubblewrap' });
  let project_id: string;
  let repository: GitRepository;
  let attempt_id: string;
  let tree: GitRepository;
  beforeEach(async () => {
    ({ project_id, repository } = await givenProject(ground.server));
    repository.git('checkout', '-q', '-b', 'elsewhere');
  });

  const left = async (script: string): Promise<void> => {
    ({ attempt_id } = (await givenEndedAttempt(ground.kanban, project_id, AS_AGENT + script)) as {
      attempt_id: string;
    });
    tree = new GitRepository(path.join(ground.dataDir, 'worktrees', attempt_id, 'web'));
  };
  const update = (action: string, more = {}): Promise<Json> =>
    ground.kanban.call('update_attempt_branch', { attempt_id, action, ...more });
  const refusedUpdate = async (action: string): Promise<string> =>
    (await ground.kanban.refused('update_attempt_branch', { attempt_id, action })).code;

  describe('S1: an update runs what the run has put into its list', () => {
    /** Inside or outside of the walls. */
    const ran = () => existsSync(path.join(tree.dir, 'ran')) || existsSync(ground.repositories.path('ran'));
    const command = () => `touch ran '${ground.repositories.path('ran')}'`;

    it('in an update that the server began, however the word is spelt', async () => {
      await left('echo ours > readme.md; git commit -qam ours');
      moveMain('theirs\n');
      expect((await update('start', { method: 'rebase' })).state).toBe('conflicted');
      for (const word of ['exec', 'x', '  exec', '\tx', 'exec\t']) {
        tree.write({ 'readme.md': 'both\n', '.git/rebase-merge/git-rebase-todo': `${word} ${command()}\n` });
        tree.git('add', 'readme.md');
        expect([word, await refusedUpdate('continue'), ran()]).toEqual([word, 'operation_foreign', false]);
      }
      expect((await update('abort')).repos[0].status).toBe('aborted');
      expect(ran()).toBe(false);
    });

    it.each([
      ['a rebase', 'GIT_SEQUENCE_EDITOR="sed -i \'1i break\'" git rebase -qi HEAD~1'],
      ['a rebase on what the server would take', 'GIT_SEQUENCE_EDITOR="sed -i \'1i break\'" git rebase -qi main'],
      [
        'a merge',
        'git checkout -q -b b HEAD~1; echo b > b; git add b; git commit -qm b; ' +
          'git checkout -q -; git merge -q --no-commit b',
      ],
    ])('%s that the server did not begin', async (_, begun) => {
      await left(`echo ours > ours.txt; git add .; git commit -qm ours; ${begun}; true`);
      expect(await refusedUpdate('continue')).toBe('operation_foreign');
      expect((await ground.kanban.call('get_attempt_delivery', { attempt_id })).repos[0].operation).not.toBeNull();
    });

    function moveMain(text: string): void {
      repository.git('checkout', '-q', 'main');
      repository.write({ 'readme.md': text });
      repository.commit('theirs');
      repository.git('checkout', '-q', 'elsewhere');
    }
  });

  describe('S2: links in its folder lead the server out', () => {
    const FOLDERS = ['refs', 'logs', 'objects', 'lfs', 'rebase-merge', 'hooks', 'modules'];
    /** What the server never follows, nor needs: its work lands beside all of them. */
    const IDLE = [
      ...['index.lock', 'packed-refs', 'ORIG_HEAD', 'config', 'config.worktree', 'shallow', 'info/exclude', 'lfs'],
      ...['info/attributes', 'rebase-merge', 'refs/heads/other', 'sharedindex.x', 'hooks', 'modules'],
    ];
    /** What git in the worktree stumbles over. */
    const NEEDED = [
      ...['index', 'COMMIT_EDITMSG', 'HEAD', 'logs/HEAD', 'MERGE_HEAD', 'objects/info/alternates', 'refs', 'logs'],
      'objects',
    ];

    const rows = [...NEEDED.map((name) => [name]), IDLE];

    it.each(rows.map((names) => [names.join(', '), names] as const))('%s', async (_, names) => {
      const outside = ground.repositories.path(`outside-${names[0]!.replaceAll('/', '-')}`);
      const links = names.map((name) => linkTo(name, path.join(outside, name)));
      const [before, expectUntouched] = [bytesBelow(outside), untouched(repository, 'main')];
      await ground.rest.does('PUT', `/api/projects/${project_id}`, { auto_commit: 'per_turn' });
      await left(`echo new > new.txt; mkdir -p .git/info .git/logs; ${links.join('; ')}`);
      const said = await allCalls();
      const { task_id } = await ground.rest.does('GET', `/api/attempts/${attempt_id}`);
      await ground.rest.does('DELETE', `/api/tasks/${task_id}`);
      expect(said).not.toContain(SECRET);
      expect(said).not.toContain('internal_error');
      expect(said.includes('landed')).toBe(names.length > 1);
      expect(bytesBelow(outside)).toEqual(before);
      expectUntouched();
      expect(repository.git('fsck', '--strict')).not.toMatch(/error|missing/);
    });

    /** @returns what puts a link to a place outside in the place of what git has there */
    function linkTo(name: string, outside: string): string {
      mkdirSync(path.join(outside, 'heads'), { recursive: true });
      for (const file of ['file', 'HEAD', 'heads/main', 'onto']) writeFileSync(path.join(outside, file), `${SECRET}\n`);
      const target = FOLDERS.includes(name) ? outside : `${outside}/file`;
      return `rm -rf .git/${name}; ln -s '${target}' .git/${name}`;
    }

    /** All that they answer. */
    async function allCalls(): Promise<string> {
      const said = [];
      for (const [tool, args] of [
        ['get_attempt_changes', { force: true }],
        ['get_attempt_patch', { force: true, paths: ['web'] }],
        ['get_attempt_delivery', {}],
        ['update_attempt_branch', { action: 'start' }],
        ['update_attempt_branch', { action: 'abort' }],
        ['merge_attempt', {}],
        ['get_attempt_status', {}],
      ] as const)
        said.push(await ground.kanban.sdk.callTool({ name: tool, arguments: { attempt_id, ...args } }));
      return JSON.stringify(said);
    }
  });
});
