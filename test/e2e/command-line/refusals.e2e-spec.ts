import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenProject } from '../../support/board.js';
import type { GitRepository } from '../../support/git-repository.js';
import { RestClient } from '../../support/rest-client.js';
import { TestServer } from '../../support/server.js';
import { ShellUser } from '../../support/shell-user.js';

const TOKEN = 'the-token-of-the-tests-0123456789abcdef';
const server = TestServer.use({ TASKFLOW_SERVICE_TOKEN: TOKEN });
const nowhere = mkdtempSync(path.join(tmpdir(), 'taskyard-nowhere-'));
let user: ShellUser;
let repository: GitRepository;
beforeAll(async () => {
  user = new ShellUser(server.url, { TASKYARD_TOKEN: TOKEN });
  const rest = new RestClient(server.url, { authorization: `Bearer ${TOKEN}` });
  ({ repository } = await givenProject({ rest, repositories: server.repositories }));
});
afterAll(() => {
  user.remove();
  rmSync(nowhere, { recursive: true });
});

const types = (...args: string[]) => user.types(args, repository.dir);
const watched = ['--watch', '--executor', 'SHELL'];

describe('the command line', () => {
  it.each([
    [['run'], 2, /missing required argument 'text'/],
    [['rnu', 'x'], 2, /unknown command 'rnu'/],
    [['watch', '--max-minutes', 'soon'], 2, /It is a number of minutes/],
    [['run', ' '], 2, /say what is to be done/],
    [['run', 'x', '--executor', 'NOBODY'], 1, /NOBODY/],
    [['status', '--project', 'none'], 1, /there is no project none\n {2}next: taskyard list --projects/],
    [['status', '--server', 'http://127.0.0.1:1'], 1, /cannot be reached.\n {2}next: taskyard serve/],
    [['status', '--server', 'somewhere'], 2, /is not the address of a server/],
  ])('ends %j with %s', async (args, code, said) => {
    const ended = await types(...args);
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(said)]);
  });

  it('says that a folder is in no repository', async () => {
    const { code, stderr } = await user.types(['list'], nowhere);
    expect([code, stderr]).toEqual([1, expect.stringContaining('is in no git repository')]);
  });

  it('prints its commands, its version, and what completes them', async () => {
    expect((await types('--help')).stdout).toMatch(/run .*\n[^]*follow-up [^]*completion /);
    expect((await types('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await types('completion', shell)).stdout).toMatch(/max-minutes[^]*follow-up/);
  });

  it('shows what an agent wrote without obeying it', async () => {
    const { stdout } = await types('run', String.raw`printf '\033[31mred\033[0m \033]0;title\007 \033[2J'`, ...watched);
    expect(stdout).toContain('red ␛]0;title␇ ␛[2J');
    expect(stdout).not.toContain('\u001B');
  });
});

describe('taskyard login', () => {
  const own = () => new ShellUser(server.url);
  it('keeps a token that the server takes, for nobody else to read, until logout', async () => {
    const someone = own();
    const at = (...args: string[]) => someone.types(args, repository.dir);
    const refused = await at('list');
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('next: taskyard login')]);
    const wrong = await someone.types(['login', '--with-token'], repository.dir, 'nonsense\n');
    expect(wrong.code).toBe(4);
    const right = await someone.types(['login', '--with-token'], repository.dir, `${TOKEN}\n`);
    expect([right.code, right.stdout]).toEqual([0, expect.stringContaining('signed in at')]);
    const file = path.join(someone.home, '.config/taskyard', `${encodeURIComponent(server.url)}.json`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await at('list')).code).toBe(0);
    expect((await at('logout')).code).toBe(0);
    expect((await at('list')).code).toBe(4);
    someone.remove();
  });

  it('never shows the token among the arguments of a process', async () => {
    const program = user.start(['run', 'echo begun; sleep 600', ...watched], repository.dir);
    await program.says(/begun/);
    const args = readFileSync(`/proc/${program.child.pid}/cmdline`, 'utf8');
    expect(args).toContain('run');
    expect(args).not.toContain(TOKEN);
    await program.end('SIGINT');
    expect((await types('stop', '--force')).code).toBe(0);
  });

  it('asks for a token where the server has no identity provider', async () => {
    const someone = own();
    const { code, stderr } = await someone.types(['login'], nowhere);
    expect([code, stderr]).toEqual([4, expect.stringContaining('next: taskyard login --with-token')]);
    someone.remove();
  });
});
