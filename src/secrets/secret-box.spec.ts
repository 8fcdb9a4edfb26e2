import { describe, expect, it } from '@jest/globals';
import { SecretBox } from './secret-box.js';

const SECRET = 'shared-by-the-processes-of-one-database';

describe('a secret that is kept in the database', () => {
  const sealed = new SecretBox(SECRET).seal('pä55', 'repo 1');

  it('opens for every process of the cluster, and shows nothing by itself', () => {
    expect(new SecretBox(SECRET).open(sealed, 'repo 1')).toBe('pä55');
    expect(sealed.includes('55')).toBe(false);
    expect(new SecretBox(SECRET).seal('pä55', 'repo 1').equals(sealed)).toBe(false);
  });

  it('opens for no other purpose, by no other secret, and not when it was changed or cut', () => {
    expect(new SecretBox(SECRET).open(sealed, 'repo 2')).toBeNull();
    expect(new SecretBox(`${SECRET}!`).open(sealed, 'repo 1')).toBeNull();
    const changed = Buffer.from(sealed);
    changed[changed.length - 1]! ^= 1;
    for (const broken of [changed, sealed.subarray(0, 20), Buffer.alloc(0)])
      expect(new SecretBox(SECRET).open(broken, 'repo 1')).toBeNull();
  });
});
