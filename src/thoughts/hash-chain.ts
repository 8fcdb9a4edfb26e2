import { createHash } from 'node:crypto';
import type { ThoughtRecord } from './thought-record.entity.js';

export const GENESIS_HASH = '0'.repeat(64);
type Hashed = Pick<ThoughtRecord, 'id' | 'type' | 'task_id' | 'content' | 'timestamp' | 'prev_hash'>;
export interface ChainReport {
  valid: boolean;
  record_count: number;
  broken_count: number;
  first_broken_at: string | null;
}

/** SHA-256 of the canonical JSON (sorted keys, no white space); who wrote it is not part of it. */
export function hashOf({ content, id, prev_hash, task_id, timestamp, type }: Hashed): string {
  return createHash('sha256')
    .update(JSON.stringify({ content, id, prev_hash, task_id, timestamp, type }))
    .digest('hex');
}

/** Follows the chain of each task through records in the order of insertion. A record is broken where its own hash or
 *  its link is. */
export function verifyChains(records: (Hashed & { hash: string })[]): ChainReport {
  const last = new Map<string, string>();
  const broken = records.filter((record) => {
    const isLinked = record.prev_hash === (last.get(record.task_id) ?? GENESIS_HASH);
    last.set(record.task_id, record.hash);
    return !isLinked || hashOf(record) !== record.hash;
  });
  return {
    valid: broken.length === 0,
    record_count: records.length,
    broken_count: broken.length,
    first_broken_at: broken[0]?.id ?? null,
  };
}
