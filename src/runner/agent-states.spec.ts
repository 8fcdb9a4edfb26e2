import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Logger } from '@nestjs/common';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AgentState } from '../executors/agent-state.js';
import type { Isolation } from '../platform/sandbox/sandbox.js';
import type { Workspace } from '../workspaces/workspace-host.js';
import { AgentStates } from './agent-states.js';

const MINE: AgentState = {
  own: ['.mine/'],
  copied: ['.mine/auth.json', '.mine/settings.json'],
  bound: ['.minerc', '.mine/skills/'],
  back: { '.mine/auth.json': ['*.token', 'at'] },
  shared: ['all/'],
};
const workspace: Workspace = { attempt_id: 'one', branch: 'b', home: null, repos: [] };

beforeAll(() => Logger.overrideLogger(false));

describe('the state of an agent', () => {
  let box: string;
  const before = { ...process.env };
  beforeEach(() => {
    box = mkdtempSync(path.join(tmpdir(), 'taskyard-states-'));
    process.env = { ...before, HOME: path.join(box, 'home') };
    mkdirSync(path.join(box, 'home/.mine/skills'), { recursive: true });
    writeFileSync(inHome('.mine/auth.json'), logIn('t1'));
    writeFileSync(inHome('.minerc'), 'rc');
  });
  afterEach(() => {
    process.env = before;
    rmSync(box, { recursive: true });
  });

  const inHome = (name: string): string => path.join(box, 'home', name);
  const inState = (name: string): string => path.join(box, 'state/one/home/.mine', name);
  const logIn = (token: string, more: object = {}): string =>
    JSON.stringify({ a: { token, scope: 'x' }, at: 1, ...more });
  const lend = (isolation: Isolation = 'bubblewrap', state = MINE) =>
    new AgentStates(
      { isolation },
      { ownFolders: ({ attempt_id }) => ({ work: box, agentState: path.join(box, 'state', attempt_id) }) },
    ).lend(workspace, state);

  it('is a folder of the attempt in the place of that of the user, with what the table says', async () => {
    const { mounted, writable } = await lend();
    expect(mounted.map(({ source, target, isWritable }) => [source, target, isWritable])).toEqual([
      [inState('.').replace(/\/$/, ''), inHome('.mine'), true],
      [inHome('.minerc'), inHome('.minerc'), false],
      [inHome('.mine/skills'), inHome('.mine/skills'), false],
      [expect.stringMatching(/\/state\/one\/tmp\/[^/]+\/tmp$/), '/tmp', true],
      [expect.stringMatching(/\/state\/one\/tmp\/[^/]+\/var\/tmp$/), '/var/tmp', true],
    ]);
    expect(writable).toEqual([inHome('all')]);
    expect(readFileSync(inState('auth.json'), 'utf8')).toBe(logIn('t1'));
    expect(existsSync(inState('settings.json'))).toBe(false);
  });

  it('is that of the user where there are no walls', async () => {
    expect(await lend('none')).toMatchObject({ mounted: [], writable: [] });
    expect(existsSync(path.join(box, 'state'))).toBe(false);
  });

  it('has no link where a mount or a copy goes, whatever an earlier turn has left', async () => {
    await lend();
    rmSync(inState('skills'), { recursive: true });
    unlinkSync(inState('auth.json'));
    symlinkSync(box, inState('skills'));
    symlinkSync(path.join(box, 'stolen'), inState('auth.json'));
    await lend();
    expect(lstatSync(inState('skills')).isDirectory()).toBe(true);
    expect(lstatSync(inState('auth.json')).isFile()).toBe(true);
    expect(existsSync(path.join(box, 'stolen'))).toBe(false);
  });

  it('goes back where a log-in was renewed: only what the table names, and of the same type', async () => {
    const { giveBack } = await lend();
    writeFileSync(inState('auth.json'), logIn('t2', { at: 'soon', b: { token: 'x' }, hooks: {} }));
    await giveBack();
    expect(JSON.parse(readFileSync(inHome('.mine/auth.json'), 'utf8'))).toEqual(JSON.parse(logIn('t2')));
    expect(lstatSync(inHome('.mine/auth.json')).mode & 0o777).toBe(0o600);
  });

  it.each<[string, () => void]>([
    ['the user has logged in anew', () => writeFileSync(inHome('.mine/auth.json'), logIn('theirs'))],
    [
      'the user keeps it elsewhere',
      () => {
        writeFileSync(path.join(box, 'elsewhere'), logIn('t1'));
        unlinkSync(inHome('.mine/auth.json'));
        symlinkSync(path.join(box, 'elsewhere'), inHome('.mine/auth.json'));
      },
    ],
    ['it is no JSON', () => writeFileSync(inState('auth.json'), 'token')],
    ['it is as large as no log-in', () => writeFileSync(inState('auth.json'), logIn('t2', { x: 'x'.repeat(2 ** 20) }))],
  ])('does not go back where %s', async (_, happens) => {
    const { giveBack } = await lend();
    writeFileSync(inState('auth.json'), logIn('t2'));
    happens();
    const now = readFileSync(inHome('.mine/auth.json'), 'utf8');
    await giveBack();
    expect(readFileSync(inHome('.mine/auth.json'), 'utf8')).toBe(now);
  });

  it('leaves no temporary folder, also none that a crash left', async () => {
    await lend();
    const { giveBack } = await lend();
    expect(readdirSync(path.join(box, 'state/one/tmp'))).toHaveLength(1);
    await giveBack();
    expect(existsSync(path.join(box, 'state/one/tmp'))).toBe(false);
  });

  it('takes nothing away that was lent since: of a lost lease a process may end after the next has begun', async () => {
    const late = await lend();
    const { mounted } = await lend();
    await late.giveBack();
    expect(mounted.filter(({ source }) => !existsSync(source))).toEqual([]);
  });
});
