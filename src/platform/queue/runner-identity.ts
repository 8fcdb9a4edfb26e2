import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type pg from 'pg';
import { newId } from '../database/uuid.js';

/** Somebody else runs where this process wants to. */
export class RunnerTakenError extends Error {}

const TRIES = 20;
const RETRY_MS = 150;

/** Who this runner is: an id kept in DATA_DIR. Two locks of one database session hold its place, so that neither two
 *  servers share a folder nor, as long as worktrees are found on one disk alone, two runners share a database. */
export class RunnerIdentity {
  readonly id: string;
  private readonly logger = new Logger(RunnerIdentity.name);
  private readonly controller = new AbortController();
  private hasHeld = false;

  constructor(private readonly dataDir: string) {
    this.id = readOrCreate(dataDir);
  }

  /** Aborts when another process took the place while the database was away: nothing may run here any more. */
  get lost(): AbortSignal {
    return this.controller.signal;
  }

  /** On every new session. A killed predecessor's may live a moment longer, so it is tried for 3 s.
   *  @throws RunnerTakenError on the first session; later ones lose the place instead */
  async hold(client: pg.Client): Promise<void> {
    if (this.lost.aborted) return;
    let taken = await this.findTaken(client);
    for (let left = TRIES; taken !== null && left > 0; left -= 1) {
      await delay(RETRY_MS);
      taken = await this.findTaken(client);
    }
    if (taken === null) this.hasHeld = true;
    else if (this.hasHeld) await this.lose(client, taken);
    else throw new RunnerTakenError(taken);
  }

  /** @returns null once both locks are held, else who has one of them */
  private async findTaken(client: pg.Client): Promise<string | null> {
    await client.query(LET_GO); // a lock that is taken twice must be given back twice
    if (!(await tryLock(client, `taskyard-runner ${this.id}`)))
      return `another server already uses DATA_DIR ${this.dataDir}: stop it, or give this one a DATA_DIR of its own`;
    if (!(await tryLock(client, 'taskyard-runners')))
      return 'another server already runs agents on this database: stop it, or start this one with ROLE=api';
    return null;
  }

  private async lose(client: pg.Client, taken: string): Promise<void> {
    await client.query(LET_GO);
    this.logger.error(`this server runs no agents any more, restart it: while the database was away, ${taken}`);
    this.controller.abort(new RunnerTakenError('another server runs in the place of this one'));
  }
}

const LET_GO = 'SELECT pg_advisory_unlock_all()';
const TRY_LOCK = 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS is_held';

/** Keys of advisory locks are the database's own. */
async function tryLock(client: pg.Client, key: string): Promise<boolean> {
  const { rows } = await client.query<{ is_held: boolean }>(TRY_LOCK, [key]);
  return rows[0]?.is_held === true;
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
