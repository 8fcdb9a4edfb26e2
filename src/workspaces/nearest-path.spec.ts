import { describe, expect, it } from '@jest/globals';
import { nearestPath } from './nearest-path.js';

describe('the path nearest to a wrong one', () => {
  const paths = ['web/readme.md', 'web/src/health.ts', 'web/src/health.spec.ts', 'web/test/health.ts'];

  it.each([
    ['src/health.ts', 'web/src/health.ts'],
    ['web/src/helth.ts', 'web/src/health.ts'],
    ['web/SRC/Health.spec.ts', 'web/src/health.spec.ts'],
    ['README.md', 'web/readme.md'],
    ['web/tests/health.ts', 'web/test/health.ts'],
  ])('of %s is %s', (wrong, right) => expect(nearestPath(wrong, paths)).toBe(right));

  it('is one of the same file name, of however many', () => {
    const many = Array.from({ length: 100_000 }, (_, number) => `web/src/part-${number}.ts`);
    expect(nearestPath('web/src/health.ts', [...many, 'web/test/deep/below/health.ts'])).toMatch(/health/);
    expect(nearestPath('web/src/part-1', many)).toBe('web/src/part-1.ts');
  });

  it('is none where nothing is there', () => expect(nearestPath('a', [])).toBeNull());
});
