import { afterAll, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { ServerProcess } from '../../support/server-process.js';
import { fetchAsOwner } from '../../support/local-tokens.js';

const accepted = path.join(import.meta.dirname, '../../contract/snapshots/openapi.json');
const dataDir = mkdtempSync(path.join(tmpdir(), 'taskyard-bundle-'));
let database: TestDatabase;
afterAll(async () => {
  await ServerProcess.endLeft();
  await database.drop();
  rmSync(dataDir, { recursive: true });
});

it('the bundled server serves the document of the server that was bundled', async () => {
  database = await createTestDatabase();
  const server = await ServerProcess.start({ DATABASE_URL: database.url, DATA_DIR: dataDir });
  const served = (await (await fetchAsOwner(`${server.url}/api/openapi.json`)).json()) as typeof document;
  const document = JSON.parse(readFileSync(accepted, 'utf8')) as { paths: object; components: object };
  expect(served.paths).toEqual(document.paths);
  expect(served.components).toEqual(document.components);
  server.repositories.remove();
});
