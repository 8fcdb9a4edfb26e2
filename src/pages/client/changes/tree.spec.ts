import { describe, expect, it } from '@jest/globals';
import { treeOf } from './tree.js';

const files = (...paths: string[]) => paths.map((path) => ({ path }));

describe('changed files as a tree', () => {
  it('has a folder once, and joins those that hold nothing but another one', () => {
    const [shop] = treeOf(files('shop/a.txt', 'shop/src/web/b.txt', 'shop/src/web/c.txt')).folders;
    expect(shop).toMatchObject({
      name: 'shop',
      files: [{ name: 'a.txt', index: 0 }],
      folders: [
        {
          name: 'src/web',
          folders: [],
          files: [
            { name: 'b.txt', index: 1 },
            { name: 'c.txt', index: 2 },
          ],
        },
      ],
    });
  });

  it('holds those that are searched for, in their old places', () => {
    const [shop] = treeOf(files('shop/a.txt', 'shop/src/Web.tsx', 'shop/web.css'), ' WEB ').folders;
    expect(shop).toMatchObject({
      files: [{ name: 'web.css', index: 2 }],
      folders: [{ name: 'src', files: [{ name: 'Web.tsx', index: 1 }] }],
    });
  });

  it('joins nothing across repositories', () => {
    expect(treeOf(files('shop/a.txt', 'mail/a.txt')).folders.map(({ name }) => name)).toEqual(['shop', 'mail']);
  });
});
