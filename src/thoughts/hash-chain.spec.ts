import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GENESIS_HASH, hashOf, verifyChains } from './hash-chain.js';

type Record = Parameters<typeof verifyChains>[0][number];

/** Records of some tasks in the order given, each chained to the one before it of its task. */
function chained(tasks: readonly string[]): Record[] {
  const last = new Map<string, string>();
  return tasks.map((task_id, index) => {
    const unhashed = {
      id: `id-${index}`,
      type: 'plan' as const,
      task_id,
      content: `thought ${index}`,
      timestamp: `time ${index}`,
      prev_hash: last.get(task_id) ?? GENESIS_HASH,
    };
    const record = { ...unhashed, hash: hashOf(unhashed) };
    last.set(task_id, record.hash);
    return record;
  });
}

const tasks = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 20 });

describe('the hash of a record', () => {
  it('is SHA-256 of its canonical JSON: keys in order, no white space', () => {
    const record = {
      id: '1',
      type: 'plan' as const,
      task_id: 't',
      content: 'Grüße "x"\n',
      timestamp: '2026-01-01T00:00:00.000Z',
      prev_hash: GENESIS_HASH,
    };
    const canonical =
      `{"content":"Grüße \\"x\\"\\n","id":"1","prev_hash":"${'0'.repeat(64)}",` +
      '"task_id":"t","timestamp":"2026-01-01T00:00:00.000Z","type":"plan"}';
    expect(hashOf(record)).toBe(createHash('sha256').update(canonical, 'utf8').digest('hex'));
  });

  it('does not depend on the order of keys, nor on who wrote it', () => {
    const record = {
      id: '1',
      type: 'plan' as const,
      task_id: 't',
      content: 'c',
      timestamp: 'now',
      prev_hash: GENESIS_HASH,
    };
    const other = {
      prev_hash: GENESIS_HASH,
      agent_id: '@ada',
      session_id: null,
      timestamp: 'now',
      content: 'c',
      task_id: 't',
      type: 'plan' as const,
      id: '1',
    };
    expect(hashOf(other)).toBe(hashOf(record));
  });
});

type Link = ReturnType<typeof chained>[number];

describe('the check of chains', () => {
  it('finds nothing wrong with what was written, however tasks are mixed', () => {
    expect(verifyChains([])).toEqual({ valid: true, record_count: 0, broken_count: 0, first_broken_at: null });
    fc.assert(
      fc.property(tasks, (mixed) => {
        expect(verifyChains(chained(mixed))).toEqual({
          valid: true,
          record_count: mixed.length,
          broken_count: 0,
          first_broken_at: null,
        });
      }),
    );
  });

  it('finds the record of which any hashed part was changed', () => {
    const parts = ['id', 'content', 'timestamp', 'prev_hash', 'hash'] as const;
    fc.assert(
      fc.property(tasks, fc.nat(), fc.constantFrom(...parts), (mixed, place, part) => {
        const records = chained(mixed);
        const index = place % records.length;
        const intact = records[index]!;
        records[index] = { ...intact, [part]: `${intact[part]}!` };
        const report = verifyChains(records);
        expect([report.valid, report.first_broken_at]).toEqual([false, records[index].id]);
        // its own hash, and the link of the next one where the hash itself is another
        const hasNext = records.slice(index + 1).some(({ task_id }) => task_id === intact.task_id);
        expect(report.broken_count).toBe(part === 'hash' && hasNext ? 2 : 1);
      }),
    );
  });

  it('finds a record that was taken out before the end, moved, or put in', () => {
    const [one, two, three] = chained(['a', 'a', 'a']) as [Link, Link, Link];
    expect(verifyChains([one, three])).toMatchObject({ valid: false, broken_count: 1, first_broken_at: three.id });
    expect(verifyChains([two, three])).toMatchObject({ valid: false, first_broken_at: two.id });
    expect(verifyChains([one, three, two])).toMatchObject({ valid: false, first_broken_at: three.id });
    expect(verifyChains([one, two, two, three])).toMatchObject({
      valid: false,
      broken_count: 1,
      first_broken_at: two.id,
    });
  });
});
