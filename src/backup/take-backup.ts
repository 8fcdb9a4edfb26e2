import type { Readable } from 'node:stream';
import type pg from 'pg';
import { SERVER_INFO } from '../config/version.js';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import type { SecretBox } from '../secrets/secret-box.js';
import { archiveOf, jsonPart, type Part } from './archive.js';
import { attemptsAt, type KnownAttempt, readWorks, type Worktrees } from './attempt-works.js';
import { copyOut, listNumbers, listTables } from './copied-tables.js';
import { openSession } from './database-session.js';
import { type Ending, ENDING, FORMAT, type Manifest, MANIFEST } from './manifest.js';

export interface BackupSource {
  databaseUrl: string;
  box: SecretBox;
  /** Null where there are none on this machine: then the database has all that is saved. */
  worktrees: Worktrees | null;
}

/** One snapshot of the database, then the work of attempts as it lies here, which may be a little newer.
 *  @returns a tar.gz, once the snapshot stands */
export async function openBackup(source: BackupSource): Promise<Readable> {
  const client = await openSession(source.databaseUrl);
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return archiveOf(parts(client, source, await manifestOf(client, source.box)));
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function manifestOf(client: pg.Client, box: SecretBox): Promise<Manifest> {
  const { rows } = await client.query<{ name: string; now: Date }>(
    'SELECT name, now() AS now FROM schema_migrations ORDER BY timestamp DESC LIMIT 1',
  );
  const [{ name: schema, now }] = rows as [{ name: string; now: Date }];
  const release = { format: FORMAT, version: SERVER_INFO.version, schema };
  const tables = await listTables(client);
  const numbers = await listNumbers(client);
  return { ...release, secret_print: box.print, taken_at: now.toISOString(), tables, numbers };
}

async function* parts(client: pg.Client, { worktrees }: BackupSource, manifest: Manifest): AsyncGenerator<Part> {
  yield jsonPart(MANIFEST, manifest);
  const rows: Ending['rows'] = {};
  let attempts: KnownAttempt[] = [];
  try {
    for (const table of manifest.tables) rows[table.name] = yield* copyOut(client, table);
    if (worktrees !== null) attempts = await attemptsAt(client, worktrees.home);
  } finally {
    await client.end(); // git may take its time, and the database need not keep old rows for it
  }
  const work = worktrees === null ? { works: 0, left_out: [] } : yield* readWorks(worktrees, attempts);
  const ending: Ending = { rows, ...work };
  yield jsonPart(ENDING, ending);
}

/** Backups of the database of this server, with the work in its worktrees. */
export class BackupService {
  constructor(private readonly source: BackupSource) {}

  /** @returns a tar.gz @throws AppError forbidden to a token that is for some projects alone */
  async open({ projects }: Principal): Promise<Readable> {
    if (projects !== 'all') throw new AppError('forbidden', { reason: 'a backup holds every project' });
    return openBackup(this.source);
  }
}
