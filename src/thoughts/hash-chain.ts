import { createHash } from 'node:crypto';
import type { ThoughtHead, ThoughtRecord } from './thought-record.entity.js';

export const GENESIS_HASH = '0'.repeat(64);
export const CHAIN_VERSION = 2;

type Hashed = Omit<ThoughtRecord, 'number' | 'hash'>;

/** A head as it was kept when its record was added, and the record that is there now. */
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

/** SHA-256 of the canonical JSON (sorted keys, no white space) of every field. */
export function hashOf(record: Hashed): string {
  return createHash('sha256').update(canonical(record)).digest('hex');
}

/** Version 1 leaves out who wrote a record and its place. */
function canonical(record: Hashed): string {
  const { agent_id, content, id, position, prev_hash, recorded_by, session_id, task_id, timestamp, type, version } =
    record;
  if (version === 1) return JSON.stringify({ content, id, prev_hash, task_id, timestamp, type });
  return JSON.stringify({
    agent_id,
    content,
    id,
    position: String(position),
    prev_hash,
    recorded_by,
    session_id,
    task_id,
    timestamp,
    type,
    version,
  });
}

/** Follows chains link by link and remembers no more than the last one, so that they may be of any length. */
export class ChainCheck {
  private records = 0;
  private broken = 0;
  private firstBroken: string | null = null;
  private last: { task_id: string; position: bigint; hash: string } | null = null;

  /** The chain of a task is added from its beginning, before that of another. */
  add(link: ChainLink): void {
    const { head, record } = link;
    this.count(head.record_id, record !== null && this.isIntact(head, record));
    this.last = { task_id: head.task_id, position: BigInt(head.position), hash: record?.hash ?? head.hash };
  }

  /** A record that no head knows. */
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
      (record.version === 1 || String(record.position) === String(head.position)) &&
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
