import { createHash } from 'node:crypto';
import type { ThoughtHead, ThoughtRecord } from './thought-record.entity.js';

export const GENESIS_HASH = '0'.repeat(64);
export const CHAIN_VERSION = 2;

type Hashed = Omit<ThoughtRecord, 'number' | 'hash'>;

/** The head stored when a record was added, and the record as it is now. */
export interface ChainLink {
  head: ThoughtHead;
  record: (Hashed & { hash: string }) | null;
}

export interface ChainReport {
  valid: boolean;
  record_count: number;
  broken_count: number;
  first_broken_at: string | null;
}

/** What the hash covers, in the order of the alphabet. */
const HASHED: (keyof Hashed)[] = [
  'agent_id',
  'content',
  'id',
  'position',
  'prev_hash',
  'recorded_by',
  'session_id',
  'task_id',
  'timestamp',
  'type',
  'version',
];

/** SHA-256 of the canonical JSON (sorted keys, no white space) of every field. */
export function hashOf(record: Hashed): string {
  const canonical = JSON.stringify({ ...record, position: String(record.position) }, HASHED);
  return createHash('sha256').update(canonical).digest('hex');
}

/** Follows chains link by link and remembers only the last one, so that they may have any length. */
export class ChainCheck {
  private records = 0;
  private broken = 0;
  private firstBroken: string | null = null;
  private last: { task_id: string; position: bigint; hash: string } | null = null;

  /** Takes whole chains one after the other, from their beginning. */
  add(link: ChainLink): void {
    const { head, record } = link;
    this.count(head.record_id, record !== null && this.isIntact(head, record));
    this.last = { task_id: head.task_id, position: BigInt(head.position), hash: record?.hash ?? head.hash };
  }

  /** A record without a head. */
  addStray(record_id: string): void {
    this.count(record_id, false);
  }

  get report(): ChainReport {
    return {
      valid: this.broken === 0,
      record_count: this.records,
      broken_count: this.broken,
      first_broken_at: this.firstBroken,
    };
  }

  private isIntact(head: ThoughtHead, record: Hashed & { hash: string }): boolean {
    const previous = this.last?.task_id === head.task_id ? this.last : { position: 0n, hash: GENESIS_HASH };
    return (
      BigInt(head.position) === previous.position + 1n &&
      record.prev_hash === previous.hash &&
      record.task_id === head.task_id &&
      String(record.position) === String(head.position) &&
      record.hash === head.hash &&
      hashOf(record) === record.hash
    );
  }

  private count(record_id: string, isIntact: boolean): void {
    this.records += 1;
    if (isIntact) return;
    this.broken += 1;
    this.firstBroken ??= record_id;
  }
}
