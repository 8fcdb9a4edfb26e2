import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import { type FoundPart, partsOf } from './archive.js';
import { StoredWorks } from './attempt-works.js';
import { BackupError } from './archive.js';
import type { BackupContent } from './backup-file.js';
import { copyStatement } from './copied-tables.js';
import type { CopiedTable, Ending } from './manifest.js';

const SET_NUMBER = `
  SELECT setval(pg_get_serial_sequence(quote_ident($1), $2)::regclass, $3::bigint)`;

/** Loads a backup into the empty tables of this session in one transaction. Triggers that count and watch are off
 *  meanwhile, for what they have written is in the backup; what points at rows is checked. */
export async function loadBackup(client: pg.Client, file: string, content: BackupContent): Promise<void> {
  const { manifest, ending } = content;
  const names = manifest.tables.map(({ name }) => client.escapeIdentifier(name));
  const onAll = (what: string) => names.map((name) => `ALTER TABLE ${name} ${what} TRIGGER USER`).join(';');
  await client.query('BEGIN');
  try {
    await client.query(`TRUNCATE ${names.join(', ')}`); // migrations have written some rows
    await client.query(onAll('DISABLE'));
    requireRows(ending.rows, await loadTables(client, file, manifest.tables));
    await client.query(onAll('ENABLE'));
    for (const { table, column, last } of manifest.numbers) await client.query(SET_NUMBER, [table, column, last]);
    await loadWorks(client, file, manifest.taken_at);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined); // the first error tells more
    throw error;
  }
  await client.query('ANALYZE');
}

/** @returns how many rows each has got */
async function loadTables(client: pg.Client, file: string, tables: readonly CopiedTable[]): Promise<Ending['rows']> {
  const rows = Object.fromEntries(tables.map(({ name }) => [name, 0]));
  let loading: Loading | null = null;
  for await (const part of partsOf(file)) {
    const [kind, name = ''] = part.name.split('/');
    if (kind !== 'tables') continue;
    if (loading !== null && loading.name !== name) {
      rows[loading.name] = await loading.end();
      loading = null;
    }
    loading ??= new Loading(client, tableNamed(tables, name));
    await loading.add(part);
  }
  if (loading !== null) rows[loading.name] = await loading.end();
  return rows;
}

/** Counted as any that are saved. */
async function loadWorks(client: pg.Client, file: string, saved_at: string): Promise<void> {
  const works = new StoredWorks(client, saved_at);
  for await (const part of partsOf(file)) if (part.name.startsWith('works/')) await works.add(part);
}

function tableNamed(tables: readonly CopiedTable[], name = ''): CopiedTable {
  const table = tables.find((one) => one.name === name);
  if (table === undefined) throw new BackupError(`the backup has rows of ${name}, which its manifest does not name`);
  return table;
}

/** One table while its rows come in. */
class Loading {
  readonly name: string;
  private readonly copy: CopyStreamQuery;

  constructor(client: pg.Client, table: CopiedTable) {
    this.name = table.name;
    this.copy = client.query(copyFrom(copyStatement(client, table, 'FROM STDIN')));
    this.copy.on('error', () => undefined); // whoever adds, or ends, is told
  }

  async add({ bytes }: FoundPart): Promise<void> {
    for await (const chunk of bytes) if (!this.copy.write(chunk)) await once(this.copy, 'drain');
  }

  /** @returns how many rows came */
  async end(): Promise<number> {
    this.copy.end();
    await finished(this.copy);
    return this.copy.rowCount;
  }
}

function requireRows(expected: Ending['rows'], rows: Ending['rows']): void {
  for (const [name, count] of Object.entries(expected))
    if (rows[name] !== count)
      throw new BackupError(`the backup says ${count} rows of ${name}, and ${rows[name] ?? 'none'} came`);
}
