import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gate } from '../../support/board.js';
import { Board } from '../../support/board-fixture.js';
import { eventually } from '../../support/eventually.js';
import { FragileLine } from '../../support/fragile-line.js';
import type { GitRepository } from '../../support/git-repository.js';
import type { Json } from '../../support/mcp-client.js';
import { programEnvironment, programFile } from '../../support/program.js';
import { ShellUser } from '../../support/shell-user.js';

const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/;
const board = Board.use();
let user: ShellUser;
let repository: GitRepository;
beforeAll(async () => {
  user = new ShellUser(board.server.url);
  ({ repository } = await board.project());
});
afterAll(() => user.remove());

const shell = ['--executor', 'SHELL'];
const types = (...args: string[]) => user.types(args, repository.dir);
const latest = async (): Promise<string> => JSON.parse((await types('status', '--json')).stdout).attempt_id as string;

describe('taskyard run', () => {
  it('shows the log until the end, and ends with 0', async () => {
    const { code, stdout } = await types('run', 'echo first\necho second', '--watch', ...shell);
    expect([code, stdout]).toEqual([0, expect.stringContaining('first\nsecond\n')]);
    const { task_id } = await board.rest.does('GET', `/api/attempts/${await latest()}`);
    const task = await board.rest.does('GET', `/api/tasks/${task_id}`);
    expect(task).toMatchObject({ title: 'echo first', description: 'echo first\necho second' });
  });

  it('ends with 1 where the run fails, and says what to type', async () => {
    const { code, stderr } = await types('run', 'echo no; exit 3', '--watch', ...shell);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/next: taskyard follow-up [0-9a-f-]{36} "…"/)]);
  });

  it('ends with 3 where the agent asks and nobody can be asked, until it is approved', async () => {
    const demo = ['--executor', 'DEMO', '--variant', 'APPROVALS'];
    const asked = await types('run', 'ask touch approved.txt', '--watch', '--no-wait', ...demo);
    expect([asked.code, asked.stderr]).toEqual([3, expect.stringMatching(/next: taskyard approve [0-9a-f-]{36}/)]);
    const approved = await types('approve');
    expect([approved.code, approved.stdout]).toEqual([0, expect.stringContaining('approved: ')]);
    expect((await types('watch')).code).toBe(0);
    expect((await types('diff')).stdout).toContain('b/approved.txt');
  });

  it('is left by an interrupt, and the run goes on', async () => {
    const { wait, open } = gate(board.server);
    const program = user.start(['run', `echo begun; ${wait}; echo over`, '--watch', ...shell], repository.dir);
    await program.says(/begun/);
    expect(await program.end('SIGINT')).toBe(130);
    const attempt_id = UUID.exec(program.stderr)![0];
    expect(program.stderr).toContain(`next: taskyard watch ${attempt_id}`);
    open();
    expect(await board.untilEnded(attempt_id)).toMatchObject({ state: 'completed' });
    const { stdout } = await types('log', '--raw', attempt_id);
    expect(stdout).toBe('begun\nover\n');
  });

  it('outlives a line that breaks: nothing is lost or said twice', async () => {
    const { wait, open } = gate(board.server);
    const line = await FragileLine.open();
    line.lead(board.server.url);
    const settings = { TASKYARD_URL: line.addressFor(board.server.url) };
    const far = new ShellUser(board.server.url, settings);
    far.remove(); // it keeps nothing there
    const program = far.start(['run', `seq 1 50; ${wait}; seq 51 100`, '--watch', ...shell], repository.dir);
    await program.says(/^50$/m);
    line.cut();
    open();
    await delay(5_000);
    line.heal();
    expect([await program.ended, program.stderr]).toEqual([0, expect.any(String)]);
    const said = program.stdout.split('\n').filter((text) => /^\d+$/.test(text));
    expect(said).toEqual(Array.from({ length: 100 }, (_, index) => String(index + 1)));
    await line.close();
  });

  it('waits no longer than it is told to', async () => {
    const { wait, open } = gate(board.server);
    const { code, stderr } = await types('run', wait, '--watch', '--max-minutes', '0.01', ...shell);
    expect([code, stderr]).toEqual([1, expect.stringContaining('the run goes on')]);
    open();
    await board.untilEnded(await latest());
  });

  it('begins once what is typed twice with one request id', async () => {
    const again = () => types('run', 'true', '--json', '--request-id', 'nightly-7', ...shell);
    const [first, second] = [JSON.parse((await again()).stdout), JSON.parse((await again()).stdout)] as [Json, Json];
    expect(second).toMatchObject({ attempt_id: first.attempt_id, task_id: first.task_id, replayed: true });
  });

  it('prints one JSON object a line', async () => {
    const { code, stdout } = await types('run', 'echo one', '--watch', '--json', ...shell);
    const said = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
    expect(code).toBe(0);
    expect(said[0]).toMatchObject({ attempt_id: expect.stringMatching(UUID) });
    expect(said.at(-1)).toMatchObject({ state: 'completed' });
    expect(said.some(({ entry }) => entry?.content === 'one')).toBe(true);
  });

  it('finds the project by the remote of a clone, from any folder in it', async () => {
    const origin = board.repository({ 'deep/down.txt': 'x\n' });
    const url = `file://${origin.dir}`;
    const { project_id } = await board.rest.does('POST', '/api/projects', { name: 'Cloned', repos: [{ url }] });
    const clone = board.server.repositories.path('clone-of-a-person');
    origin.git('clone', '--quiet', url, clone);
    const { code, stdout } = await user.types(['run', 'true', '--json', ...shell], path.join(clone, 'deep'));
    expect(code).toBe(0);
    const { task_id } = JSON.parse(stdout) as Json;
    expect(await board.rest.does('GET', `/api/tasks/${task_id}`)).toMatchObject({ project_id });
  });

  it('makes the project of a new repository, if it may', async () => {
    const fresh = board.repository();
    const refused = await user.types(['run', 'true', ...shell], fresh.dir);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('next: taskyard run "…" --yes')]);
    const { code, stdout } = await user.types(['run', 'true', '--yes', ...shell], fresh.dir);
    expect([code, stdout]).toEqual([0, expect.stringMatching(UUID)]);
    const listed = await user.types(['list'], fresh.dir);
    expect(listed.stdout).toContain('true');
  });

  it('refuses who is not there before anything is made', async () => {
    const fresh = board.repository();
    const at = (...args: string[]) => user.types(args, fresh.dir);
    const nobody = await at('run', 'true', '--yes', '--executor', 'NOBODY');
    expect([nobody.code, nobody.stderr]).toEqual([
      1,
      expect.stringMatching(/no executor NOBODY: one of .*SHELL.*\n {2}next: taskyard run "…" --executor \w+\n$/),
    ]);
    expect((await at('list')).stderr).toContain('no project holds');
    await at('run', 'true', '--yes', '--executor', 'shell');
    const odd = await at('run', 'touch odd', '--variant', 'ODD', ...shell);
    expect([odd.code, odd.stderr]).toEqual([1, expect.stringContaining('SHELL has no variant ODD')]);
    const { stdout } = await at('list', '--json');
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('what an attempt has made', () => {
  it('is applied to the repository, binary files too', async () => {
    await types('run', 'head -c 3000 /dev/zero | tr "\\0" "\\377" > a.bin; echo text > a.txt', '--watch', ...shell);
    const command = '"$0" "$1" diff | git apply --3way';
    const env = programEnvironment(user.environment);
    execFileSync('sh', ['-c', command, process.execPath, programFile('cli')], { cwd: repository.dir, env });
    expect(readFileSync(path.join(repository.dir, 'a.bin')).equals(Buffer.alloc(3_000, 255))).toBe(true);
    repository.git('reset', '--quiet', '--hard');
  });

  it('is told more work, stopped and merged', async () => {
    await types('run', 'echo 1 > merged.txt', '--watch', ...shell);
    const told = await types('follow-up', 'echo 2 >> merged.txt', '--watch');
    expect([told.code, told.stdout]).toEqual([0, expect.stringMatching(/^echo 2 >> merged.txt\n[^]*done\n$/)]);
    const alone = await types('pr');
    expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('taskyard merge needs none')]);
    const refused = await types('merge');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/next: taskyard merge \S{36} --update-checkout\n$/),
    ]);
    const merged = await types('merge', '--update-checkout');
    expect([merged.code, merged.stdout]).toEqual([0, expect.stringMatching(/^web: landed [0-9a-f]{12}\n$/)]);
    expect(repository.git('show', 'main:merged.txt')).toBe('1\n2');
    expect(readFileSync(path.join(repository.dir, 'merged.txt'), 'utf8')).toBe('1\n2\n');
    await types('run', 'sleep 600', ...shell);
    await eventually('a run', async () => (await types('status')).stdout.includes('running'));
    expect((await types('stop')).stdout).toBe('stopped\n');
  });
});
