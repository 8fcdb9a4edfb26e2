import { describe, expect, it, jest } from '@jest/globals';
import { outputLine, turnOf } from '../../test/support/agent-turn.js';
import { agentAdapters } from './agent-adapters.js';
import { declaredExecutors } from './declared/declared-executors.js';
import { demoProfile } from './demo/demo-profile.js';
import { ProgramFinder } from './find-program.js';

const nowhere = new ProgramFinder(
  {},
  () => Promise.resolve(null),
  () => [],
);
const declared = declaredExecutors({
  executors: [
    { id: 'TALKS', command: 'talks', protocol: 'acp', variants: { ASKING: { permissions: 'ask' } } },
    { id: 'PRINTS', command: 'prints', protocol: 'plain', variants: { LOUD: { args: ['-n'] } } },
  ],
});
const adapters = agentAdapters(nowhere, demoProfile('/nowhere', null), declared).map((adapter) => ({
  id: adapter.info.executor,
  adapter,
}));
const turn = (variant: string | null) => turnOf({ prompt: 'do it', cwd: '/w', variant });

describe('the file of a conversation', () => {
  const fileOf = (executor: string) =>
    adapters.find(({ id }) => id === executor)!.adapter.sessionFile?.('3f-1', '/srv/My data/w_1');

  it('is known of agents that keep one in each', () => {
    expect(fileOf('CLAUDE_CODE')).toEqual({ folder: '.claude/', path: 'projects/-srv-My-data-w-1/3f-1.jsonl' });
    expect(fileOf('CODEX')).toEqual({ folder: '.codex/', path: 'sessions/*/*/*/rollout-*-3f-1.jsonl' });
    expect(fileOf('DEMO')).toEqual({ folder: '/nowhere/', path: '3f-1.json' });
    expect(fileOf('COPILOT')).toEqual({ folder: '.copilot/', path: 'session-state/3f-1/events.jsonl' });
    expect(fileOf('QWEN_CODE')).toMatchObject({ folder: '.qwen/', path: 'projects/-srv-My-data-w-1/chats/3f-1.jsonl' });
    expect([fileOf('GEMINI'), fileOf('OPENCODE')]).toEqual([null, null]);
  });

  it('of Qwen Code names the folder that it is put in', () => {
    const lines = (cwd: string) =>
      [
        { cwd, n: 1 },
        { cwd, n: 2 },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n');
    expect(fileOf('QWEN_CODE')!.moved!(lines('/other/"w"'))).toBe(lines('/srv/My data/w_1'));
    expect(fileOf('QWEN_CODE')!.moved!('{}')).toBe('{}');
  });
});

describe('every executor', () => {
  it('has an id of its own, a default variant and says why it is not there', async () => {
    const all = agentAdapters(nowhere, demoProfile('/nowhere', null), []);
    expect(all.map(({ info }) => info.executor)).toEqual([
      'CLAUDE_CODE',
      'CODEX',
      'GEMINI',
      'OPENCODE',
      'COPILOT',
      'QWEN_CODE',
      'DEMO',
    ]);
    for (const { info } of all)
      expect([info.default_variant, info.variants.includes('DEFAULT'), info.variants.includes('APPROVALS')]).toEqual([
        'DEFAULT',
        false,
        true,
      ]);
    const reasons = await Promise.all(all.map(async (adapter) => (await adapter.availability()).reason));
    expect(reasons.slice(0, 2)).toEqual([
      'claude is not on the PATH; install it: npm install -g @anthropic-ai/claude-code',
      'codex is not on the PATH; install it: npm install -g @openai/codex',
    ]);
    expect(reasons.at(-1)).toBeNull();
  });

  it.each(adapters)('drives each variant of $id, and its default', ({ adapter }) => {
    for (const variant of [null, 'DEFAULT', ...adapter.info.variants])
      expect(adapter.drive(turn(variant)).command.program).not.toBe('');
  });

  it.each(adapters)('refuses a variant of $id that is gone', ({ id, adapter }) => {
    for (const variant of ['GONE', 'approvals', '', 'constructor', '__proto__'])
      expect(() => adapter.drive(turn(variant))).toThrow(
        expect.objectContaining({
          code: 'variant_unknown',
          details: { executor: id, variant, known: adapter.info.variants },
        }),
      );
  });

  it.each(adapters.filter(({ id }) => id !== 'PRINTS'))('parses each line of $id once', ({ adapter }) => {
    const { driver } = adapter.drive(turn(null));
    driver.conversation?.open({
      send: () => undefined,
      closeInput: () => undefined,
      decide: () => Promise.resolve({ allow: true }),
    });
    const parse = jest.spyOn(JSON, 'parse');
    try {
      for (const line of ['{"id":1,"result":{}}', '{"type":"result","subtype":"success"}', '{"method":"x"}'])
        driver.push(outputLine(line));
      expect(parse).toHaveBeenCalledTimes(3);
    } finally {
      parse.mockRestore();
    }
  });
});
