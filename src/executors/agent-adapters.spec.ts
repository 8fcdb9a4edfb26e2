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
