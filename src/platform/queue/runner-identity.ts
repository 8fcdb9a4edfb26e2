import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { newId } from '../database/uuid.js';

/** Somebody else runs with the same DATA_DIR. */
export class RunnerTakenError extends Error {}

const TRIES = 20;
const RETRY_MS = 150;

/** Who this runner is: an id kept in DATA_DIR, held by a lock of one database session, so that two servers never share a folder. */
export class RunnerIdentity {
  readonly id: string;

  constructor(private readonly dataDir: string) {
    this.id = readOrCreate(dataDir);
  }

  /** A killed predecessor's session may live a moment longer, so it is tried for 3 s. @throws RunnerTakenError */
  async hold(client: pg.Client): Promise<void> {
    for (let left = TRIES; left > 0; left -= 1) {
      const { rows } = await client.query<{ held: boolean }>(
        "SELECT pg_try_advisory_lock(hashtextextended('taskyard-runner ' || $1, 0)) AS held",
        [this.id],
      );
      if (rows[0].held) return;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    throw new RunnerTakenError(
      `another server already uses DATA_DIR ${this.dataDir}: stop it, or give this one a DATA_DIR of its own`,
    );
  }
}

function readOrCreate(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true });
  const file = path.join(dataDir, 'runner-id');
  try {
    writeFileSync(file, `${newId()}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8').trim();
}
