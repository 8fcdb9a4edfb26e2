import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { Program } from '../../support/program.js';

/** Takes every clone that it is told of and never ends one. */
const WORKER = `
  import { loadEnvironment } from './config/environment.js';
  import { Jobs } from './cluster/jobs.js';
  import { ChangeHub } from './platform/database/change-hub.js';
  import { openDataSource } from './platform/database/data-source.js';
  import { Database } from './platform/database/database.js';
  const url = process.env.DATABASE_URL;
  const database = new Database(await openDataSource(url, loadEnvironment({ DATA_DIR: '/tmp' }), []));
  const jobs = new Jobs(url, database, new ChangeHub(database));
  await jobs.start();
  await jobs.work('prepare_workspace', async ({ name }, { isOver }) => {
    isOver.addEventListener('abort', () => console.log('lost ' + name));
    console.log('took ' + name);
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  });
  process.stdin.on('data', (name) => jobs.send(null, { kind: 'prepare_workspace', data: { name: String(name) } }));
  console.log('ready');
`;
let test: TestDatabase;
const workers: Program[] = [];

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
  await test.drop();
});

it('a job whose worker was killed is handed over, one that takes long beside it is not', async () => {
  const [first, second] = [await worker(), await worker()];
  first.child.stdin.write('one');
  const taker = await Promise.race([first, second].map((each) => each.says(/took one/).then(() => each)));
  const heir = taker === first ? second : first;
  await taker.end('SIGKILL');
  heir.child.stdin.write('long');
  await heir.says(/took long/);
  await heir.says(/took one/);
  expect(heir.stdout.split('\n').toSorted()).toEqual(['', 'ready', 'took long', 'took one']);
  const long = await eventually('heartbeats of the long job', () => outlasting('long'));
  expect(long).toEqual({ state: 'active', retry_count: 0 });
});

/** The job, once its worker was heard of for longer than the silence that costs it the job. */
async function outlasting(name: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: test.url });
  await client.connect();
  const { rows } = await client
    .query(
      `SELECT state, retry_count FROM queue.job
       WHERE data ->> 'name' = $1 AND heartbeat_on > started_on + interval '12 seconds'`,
      [name],
    )
    .finally(() => client.end());
  return rows[0];
}

async function worker(): Promise<Program> {
  const program = Program.script(WORKER, { DATABASE_URL: test.url });
  workers.push(program);
  await program.says(/ready/);
  return program;
}
