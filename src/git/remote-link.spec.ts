import { expect, it } from '@jest/globals';
import { comparableRemote } from './remote-link.js';

it.each([
  'git@github.com:ada/web-shop.git',
  'https://github.com/ada/web-shop',
  'https://ada@GitHub.com/ada/web-shop.git',
  'ssh://git@github.com:22/ada/web-shop.git',
  'git://github.com/ada/web-shop/',
])('%s is the same repository as the others', (url) => {
  expect(comparableRemote(url)).toBe('github.com/ada/web-shop');
});

it('a path is one', () => {
  expect([comparableRemote('/srv/git/web'), comparableRemote('file:///srv/git/web.git')]).toEqual([
    '/srv/git/web',
    '/srv/git/web',
  ]);
});
