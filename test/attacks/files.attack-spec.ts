import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AttackGround } from '../support/attack-ground.js';
import { givenEndedAttempt, untilEnded } from '../support/board.js';
import type { Json } from '../support/mcp-client.js';
import { onlyWith } from '../support/machine.js';

const SECRET = 'not-for-callers';
const ground = AttackGround.useRoot({ SHELL_EXECUTOR: 'on' });

describe('held: paths of files', () => {
  let attempt_id: string;
  beforeAll(async () => {
    const { project_id } = await ground.rootedProject({ 'readme.md': '# hello\n', 'folder/a.txt': 'a\n' });
    writeFileSync(ground.repositories.path('outside.txt'), SECRET);
    const script =
      'ln -s /etc/passwd link; ln -s /etc folder-link; ln -s ../../../ up; ln -s . self; ln -s loop loop; ' +
      `ln -s '${ground.repositories.path('outside.txt')}' outside; mkfifo pipe; mkdir real; echo x > real/passwd; ` +
      'mv real kept; ln -s /etc real; chmod 000 kept/passwd';
    ({ attempt_id } = (await givenEndedAttempt(ground.kanban, project_id, script)) as { attempt_id: string });
  });

  it.each([
    '../../../../../../../../etc/passwd',
    'web/../../../../../../../../etc/passwd',
    'web/../web2/readme.md',
    'web/./../..',
    '/etc/passwd',
    '//etc/passwd',
    'web//etc/passwd',
    'web/link',
    'web/folder-link/passwd',
    'web/folder-link',
    'web/up/runner-id',
    'web/up',
    'web/self/link',
    'web/self/self/outside',
    'web/loop',
    'web/outside',
    'web/pipe',
    'web/real/passwd',
    'web/.git',
    'web/.git/config',
    'web/.git/../.git',
    'web/.GIT/config',
    'web/folder/../.git',
    'web/folder/..',
    'web/folder',
    'web/',
    'web',
    '.',
    './',
    '',
    ' ',
    '/',
    '..',
    'web\0/readme.md',
    'web/readme.md\0.txt',
    'web/readme.md/',
    'web/readme.md/..',
    'web/readme.md/../readme.md',
    'web/%2e%2e/%2e%2e/etc/passwd',
    'web/..%2f..%2fetc%2fpasswd',
    'web\\..\\..\\etc\\passwd',
    'file:///etc/passwd',
    '~/.ssh/id_rsa',
    '$HOME/.bashrc',
    'web/:(top)readme.md',
    `web/${'x/'.repeat(3_000)}a`,
  ])('%j', async (name) => {
    const answer = await ground.kanban.sdk.callTool({
      name: 'get_attempt_file',
      arguments: { attempt_id, path: name },
    });
    const text = JSON.stringify(answer);
    for (const secret of ['root:', SECRET, '[core]', 'gitdir:']) expect(text).not.toContain(secret);
    const { blocked } = (answer.structuredContent ?? {}) as { blocked?: boolean };
    expect(answer.isError === true || blocked === true || isLinkText(answer.structuredContent as Json)).toBe(true);
    const patch = await ground.kanban.sdk.callTool({
      name: 'get_attempt_patch',
      arguments: { attempt_id, paths: [name] },
    });
    for (const secret of ['root:', `+${SECRET}`, 'gitdir:']) expect(JSON.stringify(patch)).not.toContain(secret);
  });

  /** A link is shown as what git stores of it: where it leads. */
  const isLinkText = (content: Json): boolean => typeof content?.content === 'string' && content.content.length < 300;
});

describe('held: folders that are swapped', () => {
  it.each([
    ['the worktree by a link to the system', 'cd ..; rm -rf web; ln -s /etc web'],
    ['the worktree by a file', 'cd ..; rm -rf web; echo x > web'],
    ['the folder above by a link', 'cd ../..; mv "$OLDPWD/.." "$OLDPWD/../../gone" 2>/dev/null; true'],
    ['a folder of it by a link', 'rm -rf folder; ln -s /etc folder'],
    ['its objects', 'rm -rf .git; mkdir .git; cp -r /etc/hostname .git/HEAD'],
  ])('%s', async (_, script) => {
    const { project_id } = await ground.rootedProject({ 'folder/passwd': 'mine\n', 'a.txt': 'a\n' });
    const { attempt_id, task_id } = await givenEndedAttempt(ground.kanban, project_id, script);
    for (const [name, args] of [
      ['get_attempt_changes', {}],
      ['get_attempt_patch', { paths: ['web'] }],
      ['get_attempt_file', { path: 'web/passwd' }],
      ['get_attempt_file', { path: 'web/folder/passwd' }],
    ] as const) {
      const answer = await ground.kanban.sdk.callTool({ name, arguments: { attempt_id, ...args } });
      expect(JSON.stringify(answer)).not.toContain('root:');
    }
    const passwd = readFileSync('/etc/passwd', 'utf8');
    await ground.kanban.call('follow_up', { attempt_id, action: 'send', prompt: 'true' });
    await untilEnded(ground.kanban, attempt_id as string);
    await ground.kanban.call('delete_task', { task_id });
    expect(readFileSync('/etc/passwd', 'utf8')).toBe(passwd);
  });
});

describe('S21: other accounts that read what attempts write', () => {
  const readAs = (file: string): string =>
    execFileSync('cat', [file], { uid: 65_534, encoding: 'utf8', stdio: 'pipe' });

  onlyWith('root').it('a file of a worktree, by its path', async () => {
    const { project_id } = await ground.rootedProject({ 'a.txt': SECRET });
    const { attempt_id } = await givenEndedAttempt(ground.kanban, project_id, 'chmod -R a+rX .');
    chmodSync(ground.dataDir, 0o755); // as with a database of another user below it
    writeFileSync(`${ground.dataDir}/open.txt`, SECRET, { mode: 0o644 });
    expect(readAs(`${ground.dataDir}/open.txt`)).toBe(SECRET);
    expect(() => readAs(`${ground.dataDir}/worktrees/${attempt_id as string}/web/a.txt`)).toThrow('Permission denied');
  });
});
