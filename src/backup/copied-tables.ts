import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Part } from './archive.js';
import type { CopiedTable, NumberedColumn } from './manifest.js';

const PART_BYTES = 1024 * 1024;

/** The schema has migrations of its own wherever it is restored, and who runs now has its lease. */
const NOT_COPIED = ['schema_migrations', 'runners'];

const TABLES = `
  SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns,
    ARRAY(
      SELECT f.relname::text
      FROM pg_constraint k
      JOIN pg_class f ON f.oid = k.confrelid
      WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid
    ) AS points_at
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT c.relname = ANY($1)
  GROUP BY c.oid
  ORDER BY c.relname`;

const NUMBERS = `
  SELECT c.relname AS table, a.attname AS column,
    pg_sequence_last_value(pg_get_serial_sequence(c.oid::regclass::text, a.attname)::regclass)::text AS last
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attidentity <> ''
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT c.relname = ANY($1)
  ORDER BY c.relname`;

type FoundTable = CopiedTable & { points_at: string[] };

/** Tables by the catalogue of the database, those that are pointed at first. */
export async function listTables(client: pg.Client): Promise<CopiedTable[]> {
  const { rows } = await client.query<FoundTable>(TABLES, [NOT_COPIED]);
  const sorted = new Map<string, CopiedTable>();
  const add = ({ name, columns, points_at }: FoundTable): void => {
    if (sorted.has(name)) return;
    for (const other of rows) if (points_at.includes(other.name)) add(other);
    sorted.set(name, { name, columns });
  };
  rows.forEach(add);
  return [...sorted.values()];
}

/** Those that have given a number. Sequences know no snapshots: read after one began, they are never behind it. */
export async function listNumbers(client: pg.Client): Promise<NumberedColumn[]> {
  const { rows } = await client.query<NumberedColumn & { last: string | null }>(NUMBERS, [NOT_COPIED]);
  return rows.filter(({ last }) => last !== null);
}

/** `COPY` of a table, with its columns by name. */
export function copyStatement(
  client: pg.Client,
  { name, columns }: CopiedTable,
  direction: 'TO STDOUT' | 'FROM STDIN',
) {
  const names = columns.map((column) => client.escapeIdentifier(column)).join(', ');
  return `COPY ${client.escapeIdentifier(name)} (${names}) ${direction}`;
}

/** @returns how many rows the table has */
export async function* copyOut(client: pg.Client, table: CopiedTable): AsyncGenerator<Part, number> {
  const copy = client.query(copyTo(copyStatement(client, table, 'TO STDOUT')));
  let chunks: Buffer[] = [];
  let number = 0;
  const take = (): Part => {
    const bytes = Buffer.concat(chunks);
    chunks = [];
    return { name: `tables/${table.name}/${(number += 1)}`, bytes };
  };
  let bytes = 0;
  for await (const chunk of copy as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < PART_BYTES) continue;
    yield take();
    bytes = 0;
  }
  if (bytes > 0) yield take();
  return copy.rowCount;
}
