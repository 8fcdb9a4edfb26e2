import type { Database, Transaction } from '../database/database.js';

/** Start-time fair queuing. The tag of a turn is its virtual start time: one after the last of its project, and never
 *  behind what the queue has come to. The smallest tag goes first, so that however many turns one project has queued,
 *  the first of another waits behind one of them. Tags are 32 bits wide in the queue: room for two billion turns. */
export class FairTags {
  constructor(private readonly database: Database) {}

  /** Locks the project's row until the transaction ends, as the last of its locks. */
  async next(_tx: Transaction, project_id: string): Promise<number> {
    const [row] = await this.database.query<{ tag: string }>(NEXT, [project_id]);
    return Number(row?.tag ?? 1);
  }

  /** The queue has come to the turn with this tag. Never goes back, whoever is late. */
  async reached(tag: number): Promise<void> {
    await this.database.query('UPDATE turn_clock SET tag = $1 WHERE tag < $1', [tag]);
  }
}

/** A project that is gone leaves no tag. */
const NEXT = `
  WITH tagged AS (
    UPDATE projects
    SET turn_tag = greatest(turn_tag, (SELECT tag FROM turn_clock)) + 1
    WHERE id = $1
    RETURNING turn_tag AS tag
  )
  SELECT tag FROM tagged
  UNION ALL SELECT tag + 1 FROM turn_clock WHERE NOT EXISTS (SELECT 1 FROM tagged)`;
