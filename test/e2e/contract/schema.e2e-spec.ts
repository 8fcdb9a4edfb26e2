import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type * as Typeorm from 'typeorm';
import { migrations } from '../../../migrations/index.js';
import { entities } from '../../../src/app.module.js';
import { stages, statusOf } from '../../../src/tasks/task-stage.js';
import { taskflowStatusOf } from '../../../src/tasks/taskflow-status.js';
import { expectAccepted } from '../../support/accepted-file.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { dumpSchema } from '../../support/schema-dump.js';

// the one in which the decorators of the entities have written
const { DataSource } = await importBuilt<typeof Typeorm>('typeorm');

interface Column {
  name: string;
  type: string;
  isNullable: boolean;
  isPrimary: boolean;
  isWritable: boolean;
}

let database: TestDatabase;
let client: pg.Client;
let dataSource: Typeorm.DataSource;

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
    const steps = await new DataSource({
      type: 'postgres',
      url: other.url,
      migrations,
      migrationsTableName: 'schema_migrations',
    }).initialize();
    const tables = () =>
      steps.query<{ name: string }[]>(
        "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v')",
      );
    for (const _ of migrations) await steps.undoLastMigration();
    expect(await tables()).toEqual([{ name: 'schema_migrations' }]);
    expect(await steps.runMigrations()).toHaveLength(migrations.length);
    expect((await tables()).length).toBeGreaterThan(10);
    await steps.destroy();
    await other.drop();
  });

  it.each(entities.map((entity) => [entity.name, entity] as const))(
    'has the columns of %s, and no others',
    async (_, entity) => {
      const { tableName, columns } = dataSource.getMetadata(entity);
      const declared = columns.map((column): Column => ({
        name: column.databaseName,
        type: `${dataSource.driver.normalizeType(column)}${column.isArray ? '[]' : ''}`,
        isNullable: column.isNullable,
        isPrimary: column.isPrimary,
        isWritable: column.isInsert && column.isUpdate,
      }));
      expect(byName(declared)).toEqual(byName(await columnsOf(tableName)));
    },
  );
});

describe('the words for the stage of a task', () => {
  const insert = `INSERT INTO tasks (id, title, stage, is_blocked, created_at, updated_at)
       VALUES (gen_random_uuid(), $1, $1, $2, now(), now()) RETURNING status, taskflow_status`;

  it.each(
    stages.flatMap(
      (stage) =>
        [
          [stage, false],
          [stage, true],
        ] as const,
    ),
  )('are computed by the database as by the code: %s, blocked %s', async (stage, is_blocked) => {
    const { rows } = await client.query<object>(insert, [stage, is_blocked]);
    expect(rows).toEqual([{ status: statusOf(stage), taskflow_status: taskflowStatusOf({ stage, is_blocked }) }]);
  });

  it('are for these stages and no others', async () => {
    await expect(client.query(insert, ['SOMEDAY', false])).rejects.toMatchObject({ code: '23514' });
  });
});

async function columnsOf(table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `
    SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type, NOT a.attnotnull AS "isNullable",
      a.attidentity = '' AND a.attgenerated = '' AS "isWritable",
      EXISTS (
        SELECT 1 FROM pg_index i
        WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY(i.indkey)) AS "isPrimary"
    FROM pg_attribute a WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped`,
    [table],
  );
  return rows;
}

const byName = (columns: Column[]): Column[] => [...columns].sort((a, b) => (a.name < b.name ? -1 : 1));
