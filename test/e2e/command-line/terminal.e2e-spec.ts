import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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

describe('what completes commands in a shell', () => {
  const typed = ['fo', 'run --max', 'mer', 'completion z', 'import a-fi', 'nothing-such a-fi'];
  const completed = ['follow-up', '--max-minutes', 'merge', 'zsh', 'a-file'];
  const says = (shell: string, args: string[]): string[] => {
    writeFileSync(path.join(user.home, 'a-file'), '');
    const env = programEnvironment({ HOME: user.home, TERM: 'xterm' });
    return execFileSync(shell, args, { cwd: user.home, encoding: 'utf8', env }).trimEnd().split('\n');
  };

  it('bash: commands, their options and choices; files are its own matter', () => {
    const script = `
      eval "$(${command('completion', 'bash')})"
      complete -p taskyard
      words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _taskyard; echo "\${COMPREPLY[*]}"; }
      ${typed.map((words) => `words taskyard ${words}`).join('\n')}`;
    expect(says('bash', ['--norc', '-c', script])).toEqual([
      'complete -o default -F _taskyard taskyard',
      ...completed.slice(0, 4),
    ]);
  });

  onlyWith('fish').it('fish: the same, with files', () => {
    const asked = typed.map((words) => `complete -C 'taskyard ${words}'`).join('; ');
    const said = says('fish', ['--no-config', '-c', `${command('completion', 'fish')} | source; ${asked}`]);
    expect(said.map((line) => line.split('\t')[0])).toEqual([...completed, 'a-file']);
    expect(said[0]).toBe('follow-up\tSend a message to the agent of an attempt.');
  });

  /** Types at the prompt of a zsh that has a terminal, and has each line as the tab key leaves it. */
  const inZsh = (setUp: string): string[] => {
    writeFileSync(
      path.join(user.home, 'set-up'),
      `autoload -Uz compinit; compinit -u -D; ${setUp}
      complete-and-tell() { zle complete-word; print -r -- "$BUFFER" >> said; BUFFER=; }
      zle -N complete-and-tell; bindkey '^I' complete-and-tell; print READY`,
    );
    const script = `
      zmodload zsh/zpty; zpty shell zsh -f -i; zpty -w shell 'source ./set-up'; zpty -r shell line '*READY*'
      ${typed.map((words) => `zpty -w -n shell 'taskyard ${words}'$'\\t'`).join('\n')}
      zpty -w shell exit; while zpty -r shell line; do :; done; cat said; rm said`;
    return says('zsh', ['-f', '-c', script]).map((line) => line.trimEnd());
  };
  const lines = [...completed.slice(0, 1), 'run --max-minutes', 'merge', 'completion zsh', 'import a-file'];

  onlyWith('zsh').it('zsh: the same, by what it evaluates and by a file among its functions', () => {
    const expected = [...lines, 'nothing-such a-file'].map((words) => `taskyard ${words}`);
    expect(inZsh(`eval "$(${command('completion', 'zsh')})"`)).toEqual(expected);
    const functions = path.join(user.home, 'functions');
    mkdirSync(functions);
    says('sh', ['-c', `${command('completion', 'zsh')} > functions/_taskyard`]);
    expect(inZsh('').length).toBe(typed.length);
    expect(inZsh(`fpath=(${functions} $fpath); compinit -u -D`)).toEqual(expected);
  });
});
