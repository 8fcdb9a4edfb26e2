import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { playTurn, turnOf } from '../../../test/support/agent-turn.js';
import { agentAdapters } from '../agent-adapters.js';
import { ProgramFinder } from '../find-program.js';
import { demoProfile } from '../demo/demo-profile.js';
import { declaredExecutors } from './declared-executors.js';

const finder = new ProgramFinder({}, () => Promise.resolve(null));
const minimal = { id: 'MINE', command: 'mine', protocol: 'acp' };
const file = (...executors: unknown[]) => ({ executors });

describe('declared executors', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'declared-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const adapters = (...executors: unknown[]) =>
    new Map(
      agentAdapters(finder, demoProfile(folder, null), declaredExecutors(file(...executors))).map((adapter) => [
        adapter.info.executor,
        adapter,
      ]),
    );

  it('need no more than an id, a command and a protocol', () => {
    const variants = { DEFAULT: { args: [], env: {} } };
    const state = { own: [], copied: [], bound: [], shared: [] };
    const model_hosts: string[] = [];
    const takes = 'prompt';
    expect(declaredExecutors(file(minimal, { ...minimal, id: 'OTHER', protocol: 'plain' }))).toEqual([
      {
        id: 'MINE',
        command: 'mine',
        args: [],
        env: {},
        protocol: 'acp',
        variants,
        resume: true,
        mcp: true,
        state,
        model_hosts,
        takes,
      },
      {
        id: 'OTHER',
        command: 'mine',
        args: [],
        env: {},
        protocol: 'plain',
        variants,
        resume: false,
        mcp: false,
        state,
        model_hosts,
        takes,
      },
    ]);
  });

  it('say which of their hosts is none', () => {
    const wrong = file({ ...minimal, model_hosts: ['llm.example', 'https://llm.example'] });
    expect(() => declaredExecutors(wrong)).toThrow('MINE: "https://llm.example" is not host, *.host or host:port');
  });

  it.each<[unknown, string]>([
    [[], 'must be an object such as {"executors": []}'],
    [{}, 'executors must be a list'],
    [{ executors: 'x' }, 'executors must be a list'],
    [file(1), 'executors[0] must be an object'],
    [file({ id: 'MINE', protocol: 'acp' }), 'executors[0].command must name a program'],
    [file({ ...minimal, id: 'mine' }), 'executors[0].id must be in capitals, such as MY_AGENT'],
    [file({ ...minimal, command: ' ' }), 'executors[0].command must name a program'],
    [file({ ...minimal, protocol: 'tcp' }), 'executors[0].protocol must be one of acp, plain'],
    [file({ ...minimal, args: 'x' }), 'executors[0].args must be a list of texts'],
    [file({ ...minimal, env: { A: 1 } }), 'executors[0].env.A must be a text'],
    [file({ ...minimal, env: [] }), 'executors[0].env must be an object of texts'],
    [file({ ...minimal, args: ['x', 1] }), 'executors[0].args[1] must be a text'],
    [
      file({ ...minimal, variants: { PLAN: { modes: 1 } } }),
      'executors[0].variants.PLAN.modes is not known; known are args, env, mode, permissions',
    ],
    [
      file({ ...minimal, arg: [] }),
      'executors[0].arg is not known; known are ' +
        'id, command, args, env, protocol, variants, resume, mcp, state, reads, shared, model_hosts, takes',
    ],
    [
      file({ ...minimal, variants: { plan: {} } }),
      'executors[0].variants.plan must be named in capitals, such as PLAN',
    ],
    [
      file({ ...minimal, variants: { PLAN: { permissions: 'no' } } }),
      'executors[0].variants.PLAN.permissions must be one of allow, ask, refuse',
    ],
    ...['..', '~/../x', '/', '', 'a/./b'].map((place): [unknown, string] => [
      file({ ...minimal, state: [place] }),
      'executors[0].state[0] must be a path without . and ..',
    ]),
    [file({ ...minimal, resume: 'yes' }), 'executors[0].resume must be true or false'],
    [file({ ...minimal, protocol: 'plain', mcp: true }), 'executors[0].mcp needs the protocol acp'],
    [
      file({ ...minimal, protocol: 'plain', variants: { PLAN: { mode: 'plan' } } }),
      'executors[0].variants.PLAN.mode needs the protocol acp',
    ],
    [file(minimal, minimal), 'executors[1].id MINE is there already'],
    [file({ ...minimal, id: 'CODEX' }), 'executors[0].id CODEX is there already'],
  ])('are refused in a line: %j', (content, message) =>
    expect(() => declaredExecutors(content, ['CODEX'])).toThrow(new Error(`executors.json: ${message}`)),
  );

  it('copy in what they read of their own folders, and see the rest as it is', () => {
    const reads = ['.mine/token', '.mine/skills/', '.minerc'];
    const [one] = declaredExecutors(file({ ...minimal, state: ['.mine', '/srv/mine/'], reads, shared: ['/srv/all'] }));
    expect(one!.state).toEqual({
      own: ['.mine/', '/srv/mine/'],
      copied: ['.mine/token'],
      bound: ['.mine/skills/', '.minerc'],
      shared: ['/srv/all/'],
    });
  });

  it('work as the built-in ones do', async () => {
    const { program, args, env } = demoProfile(folder, null);
    const mine = adapters({
      ...minimal,
      command: program,
      args,
      env,
      variants: { ASKING: { permissions: 'ask' } },
    }).get('MINE')!;
    expect(mine.info).toEqual({
      executor: 'MINE',
      default_variant: 'DEFAULT',
      supports_mcp: true,
      takes: 'prompt',
      variants: ['ASKING'],
    });
    const { outcome, final_message } = await playTurn(mine, turnOf({ prompt: 'say hi', cwd: folder }));
    expect([outcome.status, final_message]).toEqual(['completed', 'hi\nDone (turn 1).']);
  });

  it('run a plain command with the prompt where it is wanted, else at the end', async () => {
    const own = adapters(
      { id: 'PRINTS', command: 'printf', args: ['%s|%s|%s', 'a', '{prompt}', 'b'], protocol: 'plain' },
      {
        id: 'ECHOES',
        command: 'echo',
        args: ['$HOME'],
        protocol: 'plain',
        variants: { LOUD: { args: ['-n'], env: {} } },
      },
    );
    const said = async (id: string, prompt: string, variant: string | null = null) =>
      (await playTurn(own.get(id)!, turnOf({ prompt, cwd: folder, variant }))).final_message;
    expect(await said('PRINTS', '$& x')).toBe('a|$& x|b');
    expect(await said('ECHOES', 'hello; ls')).toBe('$HOME hello; ls');
    expect(await said('ECHOES', 'hello', 'LOUD')).toBe('$HOME -n hello');
  });
});
