import { describe, expect, it } from '@jest/globals';
import { mergeRefusal } from './merge-pull-request.service.js';

const well = {
  state: 'open',
  draft: false,
  mergeability: 'clean',
  checks: 'passing',
  checks_complete: true,
  review: 'approved',
} as const;

describe('what speaks against the merge of a pull request', () => {
  it('is nothing where all is known to be well, or where there are no checks', () => {
    expect(mergeRefusal(well, 'merge')).toBeNull();
    expect(mergeRefusal({ ...well, checks: 'none', review: 'none' }, 'merge')).toBeNull();
  });

  it.each([
    [{ state: 'closed' }, 'closed'],
    [{ draft: true }, 'draft'],
    [{ mergeability: 'conflicting' }, 'conflicts'],
    [{ mergeability: 'unknown' }, 'does not know yet'],
    [{ checks: 'failing' }, 'failing'],
    [{ checks: 'pending' }, 'still running'],
    [{ checks: 'unknown' }, 'not known'],
    [{ checks_complete: false }, 'not known'],
    [{ review: 'changes_requested' }, 'asks for changes'],
    [{ mergeability: 'behind' }, 'behind'],
    [{ mergeability: 'blocked' }, 'rule'],
  ] as const)('%j', (more, words) => {
    expect(mergeRefusal({ ...well, ...more }, 'merge')).toContain(words);
  });

  it('is not what a queue waits for by itself', () => {
    expect(mergeRefusal({ ...well, mergeability: 'blocked' }, 'queue')).toBeNull();
    expect(mergeRefusal({ ...well, mergeability: 'behind' }, 'queue')).toBeNull();
    expect(mergeRefusal({ ...well, checks: 'pending' }, 'queue')).not.toBeNull();
  });
});
