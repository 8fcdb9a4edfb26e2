import { afterEach, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { ServerProcess } from '../../support/server-process.js';

/** Without a handler it would end the process: it waits for one. */
const PROGRAM = `const timer = setInterval(() => {
  if (process.listenerCount('unhandledRejection') === 0) return;
  clearInterval(timer);
  Promise.reject(new Error('forgotten on purpose'));
}, 50).unref();`;

afterEach(() => ServerProcess.endLeft());

it('a promise that nobody awaits is reported, and the server goes on', async () => {
  const database = await createTestDatabase();
  const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
  const NODE_OPTIONS = `--import "data:text/javascript,${encodeURIComponent(PROGRAM)}"`;
  const server = await ServerProcess.start({ DATABASE_URL: database.url, DATA_DIR: folder, NODE_OPTIONS });
  await eventually('the report', () => server.output.includes('forgotten on purpose'));
  expect(await server.rest.does('GET', '/health/live')).toEqual({ status: 'ok' });
  await server.end();
  await database.drop();
  server.repositories.remove();
  rmSync(folder, { recursive: true });
});
