import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { GitRepository } from '../../support/git-repository.js';
import { onlyWith } from '../../support/machine.js';
import { programEnvironment, programFile } from '../../support/program.js';
import { ShellUser } from '../../support/shell-user.js';

const board = Board.use();
let user: ShellUser;
let repository: GitRepository;
beforeAll(async () => {
  user = new ShellUser(board.server.url);
  ({ repository } = await board.project());
});
afterAll(() => user.remove());

const demo = ['--executor', 'DEMO', '--watch'];
const command = (...args: string[]) =>
  [process.execPath, programFile('cli'), ...args].map((arg) => `'${arg}'`).join(' ');

/** Types a command in a terminal, and an answer to each question once it is shown. */
async function inTerminal(args: string[], cwd: string, answers: [question: RegExp, answer: string][], more = {}) {
  const env = programEnvironment({ ...user.environment, TERM: 'xterm', SHELL: '/bin/sh', ...more });
  const terminal = spawn('script', ['-qefc', command(...args), '/dev/null'], { cwd, env });
  const left = [...answers];
  let shown = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (!left[0]?.[0].test(shown)) return;
    terminal.stdin.write(`${left.shift()![1]}\n`);
  });
  const [code] = (await once(terminal, 'close')) as [number];
  return { code, shown };
}

onlyWith('script').describe('in a terminal', () => {
  const asks = ['run', 'ask touch asked.txt', '--variant', 'APPROVALS', ...demo];

  it('a person is asked what the agent asks, and the run goes on', async () => {
    const { code, shown } = await inTerminal(asks, repository.dir, [[/Approve\?/, 'y']]);
    expect([code, shown]).toEqual([0, expect.stringContaining('\u001B[32mdone')]);
    const { stdout } = await user.types(['diff'], repository.dir);
    expect(stdout).toContain('b/asked.txt');
  });

  it('what a person denies is not done, and NO_COLOR is respected', async () => {
    const { shown } = await inTerminal(asks, repository.dir, [[/Approve\?/, 'n']], { NO_COLOR: '1' });
    expect(shown).toContain('touch asked.txt');
    expect(shown).not.toContain('\u001B[3');
    expect((await user.types(['diff'], repository.dir)).stdout).not.toContain('asked.txt');
  });

  it('a project is offered where the folder has none', async () => {
    const fresh = board.repository({ 'a.txt': 'a\n' });
    const refused = await inTerminal(['run', 'say hello', ...demo], fresh.dir, [[/\[Y\/n\]/, 'n']]);
    expect([refused.code, refused.shown]).toEqual([1, expect.stringContaining('--yes')]);
    const made = await inTerminal(['run', 'say hello', ...demo], fresh.dir, [[/\[Y\/n\]/, '']]);
    expect([made.code, made.shown]).toEqual([0, expect.stringContaining('hello')]);
  });
});

it('bash completes commands and their options by what it is told', () => {
  const script = `
    eval "$(${command('completion', 'bash')})"
    complete -p taskyard
    words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _taskyard; echo "\${COMPREPLY[*]}"; }
    words taskyard fo
    words taskyard run --max
    words taskyard mer
    words taskyard nothing-such`;
  const said = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8', env: programEnvironment({}) });
  expect(said.trimEnd().split('\n')).toEqual([
    'complete -o default -F _taskyard taskyard',
    'follow-up',
    '--max-minutes',
    'merge',
  ]);
});
