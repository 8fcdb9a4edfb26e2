import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '../platform/database/uuid.js';
import { branchName } from './attempt-plan.js';

const id = '0198c0de-0000-7000-8000-00001f0c9d2e';

describe('the branch of an attempt', () => {
  it.each([
    ['Add a health check', 'ty/1f0c9d2e-add-a-health-check'],
    ['  --Fix: the "login" (again)!  ', 'ty/1f0c9d2e-fix-the-login-again'],
    ['Résumé für Zoë', 'ty/1f0c9d2e-resume-fur-zoe'],
    ['日本語', 'ty/1f0c9d2e'],
    ['', 'ty/1f0c9d2e'],
    ['a title that is far too long for a branch', 'ty/1f0c9d2e-a-title-that-is-far-too-long-for'],
    ['cut right behind a word of the li mit', 'ty/1f0c9d2e-cut-right-behind-a-word-of-the-l'],
    ['refs/heads/../main.lock', 'ty/1f0c9d2e-refs-heads-main-lock'],
  ])('tells what "%s" is about', (title, expected) => {
    expect(branchName(id, title)).toBe(expected);
  });

  it('is a name that git takes, whatever the title', () => {
    const names = fc.sample(fc.string({ unit: 'binary', maxLength: 60 }), 200).map((title) => branchName(id, title));
    for (const name of new Set(names))
      expect(execFileSync('git', ['check-ref-format', '--branch', name], { encoding: 'utf8' }).trim()).toBe(name);
  });

  it('differs for attempts that are made in the same moment', () => {
    const now = Date.now();
    expect(new Set(Array.from({ length: 500 }, () => branchName(newId(now), 'same'))).size).toBe(500);
  });
});
