import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ChainCheck, type ChainLink, type ChainReport, GENESIS_HASH, hashOf } from './hash-chain.js';

type Intact = ChainLink & { record: NonNullable<ChainLink['record']> };

/** A chain of each task in turn. */
function chains(lengths: readonly number[]): Intact[] {
  return lengths.flatMap((length, task) => {
    let prev_hash = GENESIS_HASH;
    return Array.from({ length }, (_, index): Intact => {
      const unhashed = {
        id: `id-${task}-${index}`,
        type: 'plan' as const,
        task_id: `task-${task}`,
        agent_id: '@claude',
        content: `thought ${index}`,
        session_id: null,
        timestamp: `time ${index}`,
        prev_hash,
        version: 2,
        position: String(index + 1),
        recorded_by: '@ada',
      };
      prev_hash = hashOf(unhashed);
      const head = { task_id: unhashed.task_id, position: String(index + 1), record_id: unhashed.id, hash: prev_hash };
      return { head, record: { ...unhashed, hash: prev_hash } };
    });
  });
}

function verified(links: ChainLink[]): ChainReport {
  const check = new ChainCheck();
  links.forEach((link) => check.add(link));
  return check.report;
}

const lengths = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 });
const record = {
  id: '1',
  type: 'plan' as const,
  task_id: 't',
  agent_id: '@claude',
  content: 'Grüße "x"\n',
  session_id: null,
  timestamp: '2026-01-01T00:00:00.000Z',
  prev_hash: GENESIS_HASH,
  version: 2,
  position: '1',
  recorded_by: '@ada',
};
const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

describe('the hash of a record', () => {
  it('is SHA-256 of its canonical JSON: every field, keys in order, no white space', () => {
    expect(hashOf(record)).toBe(
      sha256(
        `{"agent_id":"@claude","content":"Grüße \\"x\\"\\n","id":"1","position":"1","prev_hash":"${'0'.repeat(64)}",` +
          '"recorded_by":"@ada","session_id":null,"task_id":"t","timestamp":"2026-01-01T00:00:00.000Z","type":"plan",' +
          '"version":2}',
      ),
    );
    expect(hashOf(Object.fromEntries(Object.entries(record).reverse()) as typeof record)).toBe(hashOf(record));
  });
});

describe('the check of chains (S18)', () => {
  it('finds nothing wrong with what was written', () => {
    expect(verified([])).toEqual({ valid: true, record_count: 0, broken_count: 0, first_broken_at: null });
    fc.assert(
      fc.property(lengths, (some) => {
        const links = chains(some);
        expect(verified(links)).toEqual({
          valid: true,
          record_count: links.length,
          broken_count: 0,
          first_broken_at: null,
        });
      }),
    );
  });

  it('finds the record of which any field was changed', () => {
    const fields = Object.keys(record) as (keyof typeof record)[];
    fc.assert(
      fc.property(lengths, fc.nat(), fc.constantFrom(...fields), (some, place, field) => {
        const links = chains(some);
        const index = place % links.length;
        const { head, record: intact } = links[index]!;
        links[index] = { head, record: { ...intact, [field]: field === 'version' ? 3 : `${String(intact[field])}1` } };
        expect(verified(links)).toMatchObject({ valid: false, broken_count: 1, first_broken_at: head.record_id });
      }),
    );
  });

  it('finds the first record of a chain that was rewritten whole, its hashes with it', () => {
    const links = chains([4]);
    let prev_hash = links[0]!.record.hash;
    const rewritten = links.map(({ head, record: old }, index) => {
      if (index === 0) return { head, record: old };
      const unhashed = { ...old, prev_hash, content: 'I never said that.' };
      prev_hash = hashOf(unhashed);
      return { head, record: { ...unhashed, hash: prev_hash } };
    });
    expect(verified(rewritten)).toMatchObject({ valid: false, broken_count: 3, first_broken_at: 'id-0-1' });
  });

  it('finds what was cut off the end, taken out, or put in past the chain', () => {
    const links: ChainLink[] = chains([4]);
    const without = (...gone: number[]) =>
      links.map((link, index) => (gone.includes(index) ? { ...link, record: null } : link));
    expect(verified(without(2, 3))).toMatchObject({ valid: false, broken_count: 2, first_broken_at: 'id-0-2' });
    expect(verified(without(1))).toMatchObject({ valid: false, broken_count: 1, first_broken_at: 'id-0-1' });
    expect(verified(links.toSpliced(1, 1))).toMatchObject({ valid: false, first_broken_at: 'id-0-2' });
    const check = new ChainCheck();
    check.addStray('stray');
    expect(check.report).toMatchObject({ valid: false, record_count: 1, broken_count: 1, first_broken_at: 'stray' });
  });
});
