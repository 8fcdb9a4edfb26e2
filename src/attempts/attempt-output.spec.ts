import { describe, expect, it } from '@jest/globals';
import { toAwaitedOutput } from './attempt-output.js';
import type { StatusRow, WorkRow } from './attempt-rows.js';

describe('an attempt among many that were waited for', () => {
  const row = { attempt_id: 'a1', state: 'completed', approval: null, delivery_state: 'ready' } as unknown as StatusRow;
  const work: WorkRow = { attempt_id: 'a1', files: 1, added: 2, deleted: 0, texts: [['x'.repeat(2_000)], ['last']] };

  it.each([
    [2_048.5, 1_024],
    [327.68, 327],
    [4, 4],
  ])('has its share of %d bytes for its last output, at most 1 KB', (share, bytes) => {
    const { last_output } = toAwaitedOutput(row, work, share);
    expect(last_output).toMatch(/last$/);
    expect(last_output!.length).toBeLessThanOrEqual(bytes);
  });
});
