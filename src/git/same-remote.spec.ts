import { expect, it } from '@jest/globals';
import { comparable } from './folder.js';

it.each([
  'git@github.com:ada/web-shop.git',
  'https://github.com/ada/web-shop',
  'https://ada@GitHub.com/ada/web-shop.git',
  'ssh://git@github.com:22/ada/web-shop.git',
  'git://github.com/ada/web-shop/',
])('%s is the same repository as the others', (url) => {
  expect(comparable(url)).toBe('github.com/ada/web-shop');
});

it('a path is one', () => {
  expect([comparable('/srv/git/web'), comparable('file:///srv/git/web.git')]).toEqual(['/srv/git/web', '/srv/git/web']);
});
