import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadEnvironment } from '../../../src/config/environment.js';
import { type JobKind, jobQueues } from '../../../src/cluster/job-queues.js';
import { Jobs } from '../../../src/cluster/jobs.js';
import { ChangeHub } from '../../../src/platform/database/change-hub.js';
import { openDataSource } from '../../../src/platform/database/data-source.js';
import { Database } from '../../../src/platform/database/database.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';

const { places } = jobQueues.prepare_workspace;

describe('jobs that take long', () => {
  let test: TestDatabase;
  let database: Database;
  let hub: ChangeHub;
  let jobs: Jobs;
  let begun: string[];
  let finish: Map<string, () => void>;

  beforeEach(async () => {
    test = await createTestDatabase();
    database = new Database(await openDataSource(test.url, loadEnvironment({ DATA_DIR: '/tmp' }), []));
    hub = new ChangeHub(database);
    jobs = new Jobs(test.url, database, hub);
    [begun, finish] = [[], new Map()];
    await jobs.start();
    await jobs.work('prepare_workspace', ({ name }) => {
      begun.push(name as string);
      return new Promise((resolve) => finish.set(name as string, resolve));
    });
    for (const kind of ['dispose_workspaces', 'prune_records'] as const)
      await jobs.work(kind, ({ name }) => Promise.resolve(void begun.push(name as string)));
  });
  afterEach(async () => {
    finish.forEach((end) => end());
    await jobs.stop();
    hub.beforeApplicationShutdown();
    await database.onApplicationShutdown();
    await test.drop();
  });

  const send = (kind: JobKind, name: string) => jobs.send(null, { kind, data: { name } });
  const untilBegun = (...names: string[]) =>
    eventually(names.join(), () => names.every((name) => begun.includes(name)));

  it('delay no other kind, nor within their places their own', async () => {
    await send('prepare_workspace', 'slow');
    await untilBegun('slow');
    const beside = Array.from({ length: places - 1 }, (_, at) => `beside ${at}`);
    for (const name of beside) await send('prepare_workspace', name);
    await untilBegun(...beside);
    await send('prepare_workspace', 'one too many');
    for (const kind of ['dispose_workspaces', 'prune_records'] as const) {
      await send(kind, `first ${kind}`);
      await send(kind, `second ${kind}`);
      await untilBegun(`first ${kind}`, `second ${kind}`);
    }
    expect(begun).not.toContain('one too many');
    finish.get('slow')!();
    await untilBegun('one too many');
  });
});
