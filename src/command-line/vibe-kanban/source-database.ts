import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { CommandFailure, exits } from '../exits.js';

export type Value = string | number | null;
export type Row<Column extends string> = Record<Column, Value>;

/** A copy of an SQLite database with what its log still holds: the program that writes it may go on, and its own
 *  file is never locked or changed. */
export class SourceDatabase {
  private readonly columns = new Map<string, ReadonlySet<string>>();

  private constructor(
    private readonly folder: string,
    private readonly database: sqlite.Database,
  ) {}

  /** @throws CommandFailure where the file is none of Vibe Kanban */
  static open(file: string): SourceDatabase {
    if (!existsSync(file)) throw new CommandFailure(`there is no file ${file}`, exits.usage);
    const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-import-'));
    const copy = path.join(folder, 'database');
    for (const ending of ['', '-wal', '-journal'])
      if (existsSync(file + ending)) copyFileSync(file + ending, copy + ending);
    const source = new SourceDatabase(folder, new sqlite.Database(copy));
    try {
      source.database.exec('PRAGMA locking_mode = EXCLUSIVE'); // its log is read without memory that processes share
      if (source.has('projects') && source.has('tasks')) return source;
    } catch {
      // said below: what SQLite cannot read is none either
    }
    source.close();
    throw new CommandFailure(`${file} is no database of Vibe Kanban`, exits.usage);
  }

  has(table: string): boolean {
    return this.columnsOf(table).size > 0;
  }

  /** All rows in the order of their insertion. Ages of the database name things differently: the first name that is
   *  there counts, and null stands for what has none. Ids are UUIDs. */
  rows<Column extends string>(tables: readonly string[], columns: Record<Column, readonly string[]>): Row<Column>[] {
    const table = tables.find((name) => this.has(name));
    if (table === undefined) return [];
    const there = this.columnsOf(table);
    const picked = Object.entries<readonly string[]>(columns).map(([name, names]) => {
      const found = names.find((one) => there.has(one));
      return `${found === undefined ? 'NULL' : `"${found}"`} AS "${name}"`;
    });
    const rows = this.database.all(`SELECT ${picked.join(', ')} FROM "${table}" ORDER BY rowid`);
    return rows.map((row) => mapped(row as Record<Column, sqlite.SQLiteValue>));
  }

  close(): void {
    this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private columnsOf(table: string): ReadonlySet<string> {
    const known = this.columns.get(table);
    if (known) return known;
    const rows = this.database.all(`PRAGMA table_info("${table}")`);
    const names = new Set(rows.map(({ name }) => name as string));
    this.columns.set(table, names);
    return names;
  }
}

const mapped = <Column extends string>(row: Record<Column, sqlite.SQLiteValue>): Row<Column> =>
  Object.fromEntries(
    Object.entries<sqlite.SQLiteValue>(row).map(([name, value]) => [name, valueOf(value)]),
  ) as Row<Column>;

function valueOf(value: sqlite.SQLiteValue): Value {
  if (typeof value === 'bigint') return Number(value);
  if (!(value instanceof Uint8Array)) return value;
  return Buffer.from(value)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
