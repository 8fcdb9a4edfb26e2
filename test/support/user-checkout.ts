import path from 'node:path';
import { afterEach, expect } from '@jest/globals';
import { bytesBelow, digest } from './folder-bytes.js';
import type { GitRepository } from './git-repository.js';

/** The user's checkout byte for byte: every file with its mode, the index, the stash, HEAD and the reflog of HEAD.
 *  Compare two of them to show that nothing there was touched. */
export function userCheckout(repository: GitRepository): Record<string, string> {
  const inGit = (name: string) => path.join(repository.dir, '.git', name);
  return {
    ...bytesBelow(repository.dir, (name) => path.basename(name) === '.git'),
    '.git/index': digest(inGit('index')),
    '.git/HEAD': digest(inGit('HEAD')),
    '.git/logs/HEAD': digest(inGit('logs/HEAD')),
    '.git/config': digest(inGit('config')),
    stash: repository.git('stash', 'list', '--format=%H'),
    tracking: repository.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/remotes', 'refs/tags'),
  };
}

/** Compares the checkouts of users after each test of the suite that asks for this.
 *  @returns names one whose user does nothing until the test ends; a push moves the tracking refs of the branches of
 *  attempts there, and of nothing else */
export function untouchedCheckouts(): (repository: GitRepository) => void {
  const kept: { repository: GitRepository; before: Record<string, string> }[] = [];
  afterEach(() => {
    for (const { repository, before } of kept.splice(0)) expect(withoutAttempts(repository)).toEqual(before);
  });
  return (repository) => void kept.push({ repository, before: withoutAttempts(repository) });
}

function withoutAttempts(repository: GitRepository): Record<string, string> {
  const { tracking = '', ...checkout } = userCheckout(repository);
  const others = tracking.split('\n').filter((line) => !line.startsWith('refs/remotes/origin/ty/'));
  return { ...checkout, tracking: others.join('\n') };
}
