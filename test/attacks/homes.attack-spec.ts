import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AttackGround } from '../support/attack-ground.js';
import { givenAttempt, givenProject, givenTask, untilEnded } from '../support/board.js';
import { asOwner } from '../support/local-tokens.js';
import { onlyWith } from '../support/machine.js';
import { passKeptDay } from '../support/deleted-tasks.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/mcp-client.js';

const LOG_IN = { claudeAiOauth: { accessToken: 'a1', refreshToken: 'r1', expiresAt: 1, scopes: ['x'] } };
const SETTINGS = '{"model":"opus"}';
/** Below the home of the server's user, each of which holds `secret`. */
const SECRETS = [
  ...['.npmrc', '.pypirc', '.netrc', '.bash_history', '.zsh_history', '.git-credentials', '.ssh/id_ed25519'],
  ...['.cargo/credentials.toml', '.m2/settings.xml', '.config/git/credentials', '.config/gh/hosts.yml'],
  ...['.codex/auth.json', '.gemini/oauth_creds.json', '.local/share/opencode/auth.json', '.local/share/other/token'],
  ...['.local/bin/other', 'notes.txt', 'work/other/.env'],
];

onlyWith('bubblewrap').describe('the home of the user, behind bubblewrap', () => {
  const home = mkdtempSync(path.join(homedir(), '.taskyard-home-'));
  const at = (name: string): string => path.join(home, name);
  const program = at('.local/bin/claude');
  const prepare = (): void => {
    mkdirSync(at('.mine/skills'), { recursive: true });
    writeFileSync(at('.mine/token'), 'token\n');
    const folders = { state: ['.mine'], reads: ['.mine/token', '.mine/skills/'], shared: ['all'] };
    const mine = { id: 'MINE', command: 'sh', args: ['-c'], protocol: 'plain', ...folders };
    writeFileSync(at('executors.json'), JSON.stringify({ executors: [mine] }));
  };
  const ground = AttackGround.use(
    {
      ...{ ISOLATION: 'bubblewrap', HOME: home, EXECUTOR_COMMANDS: `CLAUDE_CODE=${program}` },
      RUN_DISK_MAX: String(64 * 1024 * 1024),
      EXECUTORS_FILE: at('executors.json'),
    },
    prepare,
  );
  let project_id: string;
  beforeAll(async () => {
    const link = '../share/claude/agent.mjs';
    for (const name of [...SECRETS, '.local/share/claude/agent.mjs', '.claude/x', '.cargo/bin/cargo'])
      mkdirSync(path.dirname(at(name)), { recursive: true });
    for (const name of SECRETS) writeFileSync(at(name), 'secret');
    copyFileSync(
      path.join(import.meta.dirname, '../fixtures/scripted-agent.mjs'),
      path.join(path.dirname(program), link),
    );
    chmodSync(program.replace('bin/claude', 'share/claude/agent.mjs'), 0o755);
    symlinkSync(link, program);
    writeFileSync(at('.cargo/bin/cargo'), '#!/bin/sh\necho built', { mode: 0o755 });
    writeFileSync(at('.claude/.credentials.json'), JSON.stringify(LOG_IN), { mode: 0o600 });
    writeFileSync(at('.claude/settings.json'), SETTINGS);
    ({ project_id } = await givenProject(ground.server));
  });
  afterAll(() => rmSync(home, { recursive: true }));

  const logIn = (): Json => JSON.parse(readFileSync(at('.claude/.credentials.json'), 'utf8')) as Json;
  async function run(prompt: string, executor = 'CLAUDE_CODE'): Promise<Json> {
    const task_id = await givenTask(ground.kanban, project_id);
    const start = { task_id, executor, prompt };
    const { attempt_id } = await ground.kanban.call('start_task_attempt', start);
    return { attempt_id, ...(await untilEnded(ground.kanban, attempt_id as string)) };
  }
  async function goOn(attempt_id: unknown, prompt: string): Promise<Json> {
    await ground.kanban.call('follow_up', { attempt_id, action: 'send', prompt });
    return untilEnded(ground.kanban, attempt_id as string);
  }

  it('S13: a run reads credentials, histories, or log-ins of other agents', async () => {
    const look = SECRETS.map((name) => `cat ~/${name} 2>/dev/null && echo; ls -A ~/${path.dirname(name)} 2>/dev/null`);
    const { final_message } = await run(`echo on; ${look.join('; ')}; grep -rl secret ~ 2>/dev/null`);
    const seen = (final_message as string).split('\n');
    expect(seen[0]).toBe('on');
    const wanted = ['secret', ...SECRETS, ...SECRETS.map((name) => path.basename(name))];
    expect(seen.filter((line) => wanted.some((one) => line === one || line.endsWith(`/${one}`)))).toEqual([]);
  });

  it('S13: what a run needs is there: its program, toolchains, its log-in', async () => {
    const { final_message } = await run('~/.cargo/bin/cargo; ls ~/.local/bin; cat ~/.claude/.credentials.json');
    expect(final_message).toBe(`built\nclaude\n${JSON.stringify(LOG_IN)}`);
  });

  it('S7: a run leaves hooks for the agent of the user, or for that of another attempt', async () => {
    const plant =
      'cd ~/.claude && mkdir -p hooks skills/x && for one in settings.json CLAUDE.md hooks/x skills/x/SKILL.md note; ' +
      'do echo planted > "$one" || exit; done; echo PLANTED';
    const { attempt_id, final_message } = await run(plant);
    expect(final_message).toContain('PLANTED'); // in a folder of its own
    expect(readFileSync(at('.claude/settings.json'), 'utf8')).toBe(SETTINGS);
    for (const name of ['CLAUDE.md', 'hooks', 'skills', 'note']) expect(existsSync(at(`.claude/${name}`))).toBe(false);
    expect((await run('grep -r planted ~/.claude; ls ~/.claude')).final_message).toBe('settings.json');
    const { final_message: later } = await goOn(attempt_id, 'cat ~/.claude/note ~/.claude/settings.json');
    expect(later).toBe(`planted\n${SETTINGS}`); // its own notes, and the settings of the user
  });

  it('S7: a run writes what another one reads, where the operator has not said so', async () => {
    const { final_message } = await run('echo x > ~/.local/share/claude/x || echo x > ~/.claude.json || echo held');
    expect(final_message).toContain('held');
  });

  it('S7: a log-in that a run renewed goes back, and nothing else of its file', async () => {
    const renewed = {
      claudeAiOauth: { accessToken: 'a2', refreshToken: 'r2', expiresAt: 2, scopes: ['all'] },
      hooks: 1,
    };
    await run(`echo '${JSON.stringify(renewed)}' > ~/.claude/.credentials.json`);
    await eventually('the log-in', () => (logIn().claudeAiOauth as Json).accessToken === 'a2');
    expect(logIn()).toEqual({ claudeAiOauth: { accessToken: 'a2', refreshToken: 'r2', expiresAt: 2, scopes: ['x'] } });
    expect(statSync(at('.claude/.credentials.json')).mode & 0o777).toBe(0o600);
  });

  it('S7: a run has a file of the server taken for its log-in', async () => {
    const before = logIn();
    const secret = at('secret.json');
    writeFileSync(secret, JSON.stringify({ claudeAiOauth: { accessToken: 'stolen' } }));
    await run(`ln -sf ${secret} ~/.claude/.credentials.json`);
    expect(logIn()).toEqual(before);
  });

  it('S7: a run overwrites a log-in that the user has made meanwhile', async () => {
    const theirs = { claudeAiOauth: { ...LOG_IN.claudeAiOauth, accessToken: 'theirs' } };
    const ours = JSON.stringify({ claudeAiOauth: { ...LOG_IN.claudeAiOauth, accessToken: 'ours' } });
    const script = `echo '${ours}' > ~/.claude/.credentials.json; until test -e go; do sleep 0.1; done`;
    const task_id = await givenTask(ground.kanban, project_id);
    const start = { task_id, executor: 'CLAUDE_CODE', prompt: script };
    const { attempt_id } = await ground.kanban.call('start_task_attempt', start);
    const tree = path.join(ground.dataDir, 'worktrees', attempt_id as string);
    const own = path.join(ground.dataDir, 'agent-state', attempt_id as string, 'home/.claude/.credentials.json');
    await eventually('its log-in', () => existsSync(own) && readFileSync(own, 'utf8').includes('ours'));
    writeFileSync(at('.claude/.credentials.json'), JSON.stringify(theirs));
    writeFileSync(path.join(tree, 'web/go'), '');
    await untilEnded(ground.kanban, attempt_id as string);
    expect(logIn()).toEqual(theirs);
  });

  it('S7: the conversation comes home as an archive without the log-in, to people alone', async () => {
    const { attempt_id } = await run('mkdir ~/.claude/projects; echo said > ~/.claude/projects/one.jsonl');
    const place = `${ground.url}/api/attempts/${attempt_id as string}/agent-state`;
    const answer = await fetch(place, { headers: asOwner(ground.url) });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/gzip']);
    const input = Buffer.from(await answer.arrayBuffer());
    const { stdout } = spawnSync('tar', ['tzf', '-'], { input, encoding: 'utf8' });
    expect(stdout).toBe('.claude/projects/one.jsonl\n');
    const { final_message } = await run(`curl -s -o /dev/null -w '%{http_code}' ${place}`);
    expect(final_message).toBe('000');
  });

  it('S7: a run of a declared agent leaves anything beyond its own state and what the operator shares', async () => {
    const prompt =
      'cat ~/.mine/* ~/all/*; echo own > ~/.mine/x; echo all > ~/all/x; echo no > ~/.mine/skills/x || true';
    const declared = async (): Promise<unknown> => (await run(prompt, 'MINE')).final_message;
    expect(await declared()).toBe('token');
    expect(await declared()).toBe('token\nall');
    expect(existsSync(at('.mine/x'))).toBe(false);
    expect(existsSync(at('.mine/skills/x'))).toBe(false);
  });

  it.each([
    ['in its worktree', '.'],
    ['in the state of its agent', '~/.claude'],
    ['in its temporary folder', '/tmp'],
    ['in the other one', '/var/tmp'],
    ['in all of them, a bit in each', '. ~/.claude /tmp /var/tmp'],
  ])('S15: a run fills the disk %s', async (_, folders) => {
    const script = `for one in ${folders}; do head -c 100M /dev/zero | split -b 30M - $one/big-; done; sleep 300`;
    const { state, failure_summary } = await run(script.replace('100M', folders.includes(' ') ? '20M' : '100M'));
    expect([state, failure_summary]).toEqual(['failed', expect.stringContaining('RUN_DISK_MAX')]);
    expect(await ground.rest.does('GET', '/api/executors')).toMatchObject({ limits: { disk: 'watched' } });
  });

  it('what an attempt leaves goes with it', async () => {
    const { attempt_id, task_id } = await givenAttempt(ground.kanban, project_id, 'x', {
      executor: 'CLAUDE_CODE',
      prompt: 'echo x > ~/.claude/note',
    });
    await untilEnded(ground.kanban, attempt_id as string);
    const state = path.join(ground.dataDir, 'agent-state', attempt_id as string);
    expect(existsSync(state)).toBe(true);
    await ground.rest.does('DELETE', `/api/tasks/${task_id}`);
    await passKeptDay(ground.database!);
    await eventually('its end', () => !existsSync(state));
  });
});
