import { describe, expect, it } from '@jest/globals';
import { type ChangedFile, differInScripts, tamperedPaths } from './tampering.js';

const file = (path: string, status: ChangedFile['status'] = 'modified', old_path: string | null = null) => ({
  path,
  status,
  old_path,
});

describe('files that decide a check beside the work', () => {
  it.each([
    ['a changed test', [file('src/cart.test.ts')], ['src/cart.test.ts']],
    ['a deleted test', [file('tests/test_cart.py', 'deleted')], ['tests/test_cart.py']],
    ['a test that was renamed away', [file('src/cart.txt', 'renamed', 'src/cart.spec.ts')], ['src/cart.txt']],
    ['a new test', [file('src/cart.test.ts', 'added')], []],
    ['a changed snapshot', [file('src/__snapshots__/cart.ts.snap')], ['src/__snapshots__/cart.ts.snap']],
    ['CI', [file('.github/workflows/ci.yml', 'added')], ['.github/workflows/ci.yml']],
    ['a lock file', [file('web/package-lock.json')], ['web/package-lock.json']],
    ['a new configuration of tests', [file('jest.config.mjs', 'untracked')], ['jest.config.mjs']],
    ['a Makefile', [file('Makefile')], ['Makefile']],
    ['what a command names', [file('scripts/verify.sh'), file('scripts/other.sh')], ['scripts/verify.sh']],
    ['work', [file('src/cart.ts'), file('docs/latest.md'), file('src/contest/a.ts')], []],
  ])('%s', (_, files, expected) => {
    expect(tamperedPaths(files, ['bash ./scripts/verify.sh --all && npm test'], [])).toEqual(expected);
  });

  it('a package.json counts only where its scripts differ', () => {
    expect(tamperedPaths([file('package.json')], ['npm test'], [])).toEqual([]);
    expect(tamperedPaths([file('package.json')], ['npm test'], ['package.json'])).toEqual(['package.json']);
  });

  it.each([
    ['another version of a dependency', '{"dependencies":{"a":"1"}}', '{"dependencies":{"a":"2"}}', false],
    ['another order', '{"scripts":{"a":"1","b":"2"}}', '{"scripts":{"b":"2","a":"1"}}', false],
    ['another script', '{"scripts":{"test":"jest"}}', '{"scripts":{"test":"true"}}', true],
    ['no scripts before', null, '{"scripts":{"test":"true"}}', true],
    ['none before and after', null, '{"name":"a"}', false],
    ['what is no JSON', '{"scripts":{}}', '{', true],
  ])('scripts: %s', (_, before, after, expected) => {
    expect(differInScripts(before, after)).toBe(expected);
  });
});
