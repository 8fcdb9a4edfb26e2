import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { migrations } from '../../../migrations/index.js';
import { entities } from '../../../src/app.module.js';
import { stages, statusOf } from '../../../src/tasks/task-stage.js';
import { expectAccepted } from '../../support/accepted-file.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { dumpSchema } from '../../support/schema-dump.js';

interface Column { name: string; type: string; isNullable: boolean; isPrimary: boolean; isWritable: boolean }

let database: TestDatabase;
let client: pg.Client;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  dataSource = await new DataSource({ type: 'postgres', url: database.url, entities }).initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await client.end();
  await database.drop();
});

describe('the migrated schema', () => {
  it('is the one that was accepted', async () => {
    expectAccepted('migrations/schema.sql', await dumpSchema(client));
  });

  it('can be taken back, step by step, and made again', async () => {
    const other = await createTestDatabase();
    const steps = await new DataSource({ type: 'postgres', url: other.url, migrations, migrationsTableName: 'schema_migrations' }).initialize();
    const tables = () => steps.query<{ name: string }[]>("SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v')");
    for (const _ of migrations) await steps.undoLastMigration();
    expect(await tables()).toEqual([{ name: 'schema_migrations' }]);
    expect(await steps.runMigrations()).toHaveLength(migrations.length);
    expect((await tables()).length).toBeGreaterThan(10);
    await steps.destroy();
    await other.drop();
  });

  it.each(entities.map((entity) => [entity.name, entity] as const))('has the columns of %s, and no others', async (_, entity) => {
    const { tableName, columns } = dataSource.getMetadata(entity);
    const declared = columns.map((column): Column => ({
      name: column.databaseName, type: dataSource.driver.normalizeType(column), isNullable: column.isNullable, isPrimary: column.isPrimary, isWritable: column.isInsert && column.isUpdate,
    }));
    expect(byName(declared)).toEqual(byName(await columnsOf(tableName)));
  });
});

describe('the status of a task', () => {
  it('is computed by the database as by the code, for every stage and no other', async () => {
    const project = '0198c0de-0000-7000-8000-000000000001';
    const now = new Date();
    await client.query('INSERT INTO projects (id, name, slug, created_at, updated_at) VALUES ($1, $2, $2, $3, $3)', [project, 'p', now]);
    const insert = 'INSERT INTO tasks (id, project_id, title, stage, created_at, updated_at) VALUES (gen_random_uuid(), $1, $2, $2, $3, $3) RETURNING status';
    for (const stage of stages) {
      const { rows } = await client.query<{ status: string }>(insert, [project, stage, now]);
      expect({ stage, status: rows[0].status }).toEqual({ stage, status: statusOf(stage) });
    }
    await expect(client.query(insert, [project, 'SOMEDAY', now])).rejects.toMatchObject({ code: '23514' });
  });
});

async function columnsOf(table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(`
    SELECT column_name AS name, data_type AS type, is_nullable = 'YES' AS "isNullable", is_identity = 'NO' AND is_generated = 'NEVER' AS "isWritable",
      EXISTS (SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
              WHERE i.indisprimary AND i.indrelid = c.table_name::regclass AND a.attname = c.column_name) AS "isPrimary"
    FROM information_schema.columns c WHERE table_schema = 'public' AND table_name = $1`, [table]);
  return rows;
}

const byName = (columns: Column[]): Column[] => [...columns].sort((a, b) => (a.name < b.name ? -1 : 1));
