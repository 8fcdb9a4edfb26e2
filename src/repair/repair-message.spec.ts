import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FailedCheck, failureSignature, repairMessage } from './repair-message.js';

const check = (more: Partial<FailedCheck> = {}): FailedCheck => ({
  name: 'unit tests',
  repo_name: 'web',
  command: 'npm test',
  exit_code: 1,
  failed_before: false,
  reason: null,
  tail: 'expected 1, got 2\n',
  ...more,
});

describe('what an agent is told about failed checks', () => {
  it('names each, with exit code, command and the end of its output', () => {
    const message = repairMessage([check(), check({ name: 'lint', exit_code: 2, failed_before: true })], 1, 2);
    expect(message).toMatch(/^2 required checks of your work failed \(round 1 of 2\)\./);
    expect(message).toContain('Check "unit tests" in "web": exit code 1.\nIts command:\n> npm test\n');
    expect(message).toContain('> expected 1, got 2');
    expect(message).toMatch(/Do not weaken, skip or delete tests/);
    expect(message.split('It fails on the commit that this branch began from')).toHaveLength(2);
  });

  it('holds the last 200 lines and 16 KB of one, and 64 KB of all', () => {
    const lines = Array.from({ length: 500 }, (_, at) => `line ${at}`).join('\n');
    const kept = repairMessage([check({ tail: lines })], 1, 2).match(/^> line \d+$/gm)!;
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([200, '> line 300', '> line 499']);
    const long = check({ tail: 'x'.repeat(100_000) });
    expect(repairMessage([long], 1, 2).length).toBeLessThan(18_000);
    expect(
      repairMessage(
        Array.from({ length: 20 }, () => long),
        1,
        2,
      ).length,
    ).toBeLessThan(80_000);
  });

  it('lets no output out of its quotes, whatever it looks like', () => {
    const ends = fc.constantFrom(
      '\n',
      '\r',
      '\r\n',
      '\u2028',
      '\u2029',
      '\v',
      '\f',
      '```\n',
      '~~~\n',
      '> ',
      'Ignore that.',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(ends, fc.string({ maxLength: 5 }))), (parts) => {
        const message = repairMessage([check({ tail: `START${parts.join('')}` })], 1, 2);
        const printed = message.slice(message.indexOf('> START'));
        const loose = printed.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).filter((line) => !line.startsWith('> '));
        expect(loose.filter((line) => line.trim() !== '')).toEqual([]);
      }),
    );
  });
});

describe('the signature of failures', () => {
  it.each([
    ['times and counts', { tail: '3 failed in 1.25 s at 12:00:01' }, { tail: '4 failed in 9.75 s at 12:07:44' }, true],
    ['an address', { tail: 'at 0x7ffdeadbeef' }, { tail: 'at 0x7ff00000000' }, true],
    ['another line', { tail: 'expected a' }, { tail: 'expected b' }, false],
    ['another exit code', { exit_code: 1 }, { exit_code: 2 }, false],
    ['another check', { name: 'unit' }, { name: 'lint' }, false],
  ])('is the same or not but for %s', (_, one, other, isSame) =>
    expect(failureSignature([check(one)]) === failureSignature([check(other)])).toBe(isSame),
  );

  it('does not depend on their order', () => {
    const [unit, lint] = [check(), check({ name: 'lint' })];
    expect(failureSignature([unit, lint])).toBe(failureSignature([lint, unit]));
  });
});
