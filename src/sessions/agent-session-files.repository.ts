import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../platform/database/database.js';

/** The file in which an agent keeps one conversation. */
export interface AgentSessionFile {
  agent_session_id: string;
  /** Below the folder of the agent's state. */
  path: string;
  /** Compressed. */
  content: Buffer;
  /** Equal as long as the file has not changed. */
  fingerprint: string;
  /** The runner with the newest version. */
  saved_by: string;
}

/** Fenced like every write of a run. */
const STORE = `
  INSERT INTO agent_session_files AS f (
    session_id, attempt_id, agent_session_id, path, content, bytes, fingerprint, saved_by, saved_at, stored_by
  )
  SELECT e.session_id, e.attempt_id, $3, $4, $5::bytea, length($5::bytea), $6, $7, now(), e.started_by
  FROM executions e
  WHERE e.id = $1 AND e.job_id = $2 AND e.status = 'running'
  ON CONFLICT (session_id) DO UPDATE
  SET agent_session_id = excluded.agent_session_id, path = excluded.path, content = excluded.content,
    bytes = excluded.bytes, fingerprint = excluded.fingerprint, saved_by = excluded.saved_by,
    saved_at = excluded.saved_at, stored_by = excluded.stored_by`;

@Injectable()
export class AgentSessionFilesRepository {
  constructor(private readonly database: Database) {}

  async store(
    _tx: Transaction,
    { id, job_id }: { id: string; job_id: string | null },
    { agent_session_id, path, content, fingerprint, saved_by }: AgentSessionFile,
  ): Promise<void> {
    const file = [agent_session_id, path, content, fingerprint, saved_by];
    await this.database.query(STORE, [id, job_id, ...file]);
  }

  async find(session_id: string): Promise<AgentSessionFile | null> {
    const [row] = await this.database.query<AgentSessionFile>(
      `SELECT agent_session_id, path, content, fingerprint, saved_by
       FROM agent_session_files
       WHERE session_id = $1`,
      [session_id],
    );
    return row ?? null;
  }

  async fingerprint(session_id: string): Promise<string | null> {
    const sql = 'SELECT fingerprint FROM agent_session_files WHERE session_id = $1';
    const [row] = await this.database.query<{ fingerprint: string }>(sql, [session_id]);
    return row?.fingerprint ?? null;
  }
}
