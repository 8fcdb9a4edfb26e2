import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { pullRequestAddress, remoteAddress } from './forge-address.js';
import { isProven } from './webhook-proof.js';

const body = Buffer.from('{"action":"closed"}');
const hex = createHmac('sha256', 'secret').update(body).digest('hex');

describe('the proof of a webhook', () => {
  it.each([
    ['github', { 'x-hub-signature-256': `sha256=${hex}` }, true],
    ['github', { 'x-hub-signature-256': hex }, false],
    ['github', { 'x-hub-signature-256': [`sha256=${hex}`, 'x'] }, false],
    ['github', {}, false],
    ['gitea', { 'x-gitea-signature': hex }, true],
    ['gitea', { 'x-forgejo-signature': hex }, true],
    ['gitea', { 'x-gitea-signature': `sha256=${hex}` }, false],
    ['gitlab', { 'x-gitlab-token': 'secret' }, true],
    ['gitlab', { 'x-gitlab-token': 'secre' }, false],
    ['gitlab', { 'x-hub-signature-256': `sha256=${hex}` }, false],
  ] as const)('of %s with %j is %s', (kind, headers, proven) => {
    expect(isProven(kind, 'secret', { ...headers } as Record<string, string | string[]>, body)).toBe(proven);
  });
});

describe('the address of a remote', () => {
  it.each([
    ['https://github.com/ada/web.git', 'github.com', 'ada/web'],
    ['https://user:word@git.example:3000/a/b/c', 'git.example:3000', 'a/b/c'],
    ['ssh://git@git.example:2222/ada/web.git', 'git.example', 'ada/web'],
    ['git@GitLab.com:group/sub/web.git', 'gitlab.com', 'group/sub/web'],
    ['ssh://git@ssh.github.com:443/ada/web.git', 'github.com', 'ada/web'],
    ['https://github.com.evil.example/ada/web', 'github.com.evil.example', 'ada/web'],
  ])('%s is of %s', (url, host, repository) => {
    expect(remoteAddress(url)).toMatchObject({ host, repository });
  });

  it.each(['/srv/git/web', './web', 'file:///srv/web', 'https://github.com/web', ''])('is none for "%s"', (url) => {
    expect(remoteAddress(url)).toBeNull();
  });

  it.each([
    ['https://github.com/ada/web/pull/7', 'ada/web', 7],
    ['https://github.com/ada/web/pull/7/files', 'ada/web', 7],
    ['https://gitlab.com/a/b/web/-/merge_requests/12', 'a/b/web', 12],
    ['https://codeberg.org/ada/web/pulls/3', 'ada/web', 3],
  ])('of the pull request %s is %s #%d', (url, repository, number) => {
    expect(pullRequestAddress(url)).toMatchObject({ repository, number });
  });

  it.each(['https://github.com/ada/web', 'ftp://github.com/ada/web/pull/7', 'https://github.com/ada/web/pull/x'])(
    'of a pull request is none for %s',
    (url) => {
      expect(pullRequestAddress(url)).toBeNull();
    },
  );
});
