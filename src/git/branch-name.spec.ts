import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isBranchName } from './branch-name.js';

/** Whether git takes it, and for itself: `@` and `@{-1}` stand for another name. */
function gitTakes(name: string): boolean {
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    const said = execFileSync('git', ['check-ref-format', '--branch', name], { cwd: '/', encoding: 'utf8', stdio });
    return said === `${name}\n` && name !== '@';
  } catch {
    return false;
  }
}

const PARTS = [
  'a',
  'ä',
  '.',
  '..',
  '/',
  '-',
  '@',
  '{',
  '}',
  '@{u}',
  '^',
  '~1',
  ':',
  '.lock',
  'HEAD',
  ' ',
  '\\',
  '*',
  '\t',
];
const tricky = fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
const any = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !text.includes('\0'));

it('S18: takes for a branch what git takes', () => {
  fc.assert(
    fc.property(fc.oneof(tricky, any), (name) => {
      expect([name, isBranchName(name)]).toEqual([name, gitTakes(name)]);
    }),
    { numRuns: 200 },
  );
});

it.each(['@{u}', '@{-1}', 'main^{tree}', 'main~1', 'HEAD', '@', '', '-d', 'a..b', 'x.lock', '.x', 'a/'])(
  'S18: refuses %s',
  (name) => expect(isBranchName(name)).toBe(false),
);
