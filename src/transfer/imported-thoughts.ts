import type { Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { CHAIN_VERSION, GENESIS_HASH, hashOf } from '../thoughts/hash-chain.js';
import type { ThoughtType } from '../thoughts/thought-record.entity.js';
import type { ImportedRow, ImportedRowsRepository } from './imported-rows.repository.js';

export interface GivenThought extends ImportedRow {
  task_id: string;
  type: ThoughtType;
  agent_id: string;
  content: string;
  session_id?: string;
  recorded_by?: string;
  created_at?: string;
}

/** Thoughts as links of the chains of their tasks, in the order of their lines. */
export async function chained(
  tx: Transaction,
  rows: ImportedRowsRepository,
  thoughts: readonly GivenThought[],
  { actor }: Principal,
): Promise<ImportedRow[]> {
  const ends = await rows.listChainEnds(tx, [...new Set(thoughts.map(({ task_id }) => task_id))]);
  const last = new Map(ends.map(({ task_id, position, hash }) => [task_id, { position: BigInt(position), hash }]));
  const now = new Date().toISOString();
  return thoughts.map((thought) => {
    const before = last.get(thought.task_id) ?? { position: 0n, hash: GENESIS_HASH };
    const { id, task_id, type, agent_id, content, session_id = null, recorded_by = actor.name, created_at } = thought;
    const position = before.position + 1n;
    const timestamp = created_at === undefined ? now : new Date(created_at).toISOString();
    const version = CHAIN_VERSION;
    const prev_hash = before.hash;
    const link = { id, task_id, type, agent_id, content, session_id, recorded_by, timestamp, version, prev_hash };
    const hash = hashOf({ ...link, position: String(position) });
    last.set(task_id, { position, hash });
    return { ...link, project_id: thought.project_id, link: String(position), hash };
  });
}
