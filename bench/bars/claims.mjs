import { randomUUID } from 'node:crypto';
import { loadEnvironment } from '../../dist/src/config/environment.js';
import { openDataSource } from '../../dist/src/platform/database/data-source.js';
import { Database } from '../../dist/src/platform/database/database.js';
import { TurnClaims } from '../../dist/src/cluster/turn-claims.js';
import { absolute, format } from '../figures.mjs';
import { median, quantile } from '../measure/statistics.mjs';

const CLAIMERS = 4;
const CLAIMS = 500;
const CAP = 40;

/** The queue of turns by its rows alone, long and unfair. */
export async function claims(ground) {
  return [await fairness(ground), ...(await speed(ground))];
}

/** @returns after how many claims another project has its turn, that comes behind 90 000 of the first */
async function fairness(ground) {
  const { database, client, close } = await open(ground);
  const [crowd, other] = [randomUUID(), randomUUID()];
  await insert(client, 90_000, [crowd]);
  const jobs = new TurnClaims(database, await holder(client, 'runner-0'), limits(0));
  await jobs.claim(3); // the queue has come some way
  await insert(client, 1, [other]);
  let place = 0;
  for (let found = false; !found; place += 1) {
    const [{ id }] = await jobs.claim(1);
    found =
      (await client.query('SELECT 1 FROM turn_jobs WHERE job_id = $1 AND project_id = $2', [id, other])).rowCount > 0;
  }
  await close();
  const what = 'a first turn behind 90 000 of another project: its place in the order of claims';
  return absolute(what, place, '', '1 is the next', { below: 2.5 });
}

/** Projects at their cap are in the way of every claim; what is claimed is given back as its turn would end. */
async function speed(ground) {
  const { database, client, close } = await open(ground);
  const projects = Array.from({ length: 20 }, () => randomUUID());
  await insert(client, 100_000, projects);
  const times = [];
  let mostOfOne = 0;
  const holders = [];
  while (holders.length < CLAIMERS) holders.push(await holder(client, `runner-${holders.length}`));
  const work = async (number) => {
    const jobs = new TurnClaims(database, holders[number], limits(CAP));
    for (let at = 0; at < CLAIMS; at += 1) {
      const startedAt = performance.now();
      const [job] = await jobs.claim(1);
      times.push(performance.now() - startedAt);
      if (at % 25 === 0) mostOfOne = Math.max(mostOfOne, await runningOfOne(database));
      if (job && at % 2) await database.query('DELETE FROM turn_jobs WHERE job_id = $1', [job.id]);
    }
  };
  await Promise.all(holders.map((_, number) => work(number)));
  mostOfOne = Math.max(mostOfOne, await runningOfOne(database));
  const commit = await commitTime(client);
  await close();
  if (mostOfOne > CAP) throw new Error(`${mostOfOne} turns of one project ran, its cap is ${CAP}`);
  const what = `a claim with 100 000 turns queued and ${CLAIMERS} claimers, caps on, p50 of ${times.length}`;
  const most = `most of one project ${mostOfOne} of ${CAP}`;
  const p95 = `p95 ${format(quantile(times, 0.95))} ms`;
  const floor = `one row written, by one client at rest: ${format(commit)} ms; ${p95}; ${most}`;
  return [absolute(what, median(times), 'ms', floor, { below: 3 })];
}

async function open(ground) {
  const url = await ground.database();
  const dataSource = await openDataSource(url, loadEnvironment({ DATA_DIR: ground.place('data') }), []);
  const client = await ground.connect(url);
  return { database: new Database(dataSource), client, close: () => dataSource.destroy() };
}

const limits = (cap) => ({ MAX_CONCURRENT_PER_PROJECT: cap, MAX_CONCURRENT_PER_EXECUTOR: {}, RUNNER_LOST_SECS: 60 });

async function holder(client, id) {
  const incarnation = randomUUID();
  await client.query(
    `INSERT INTO runners
       (runner_id, incarnation, role, address, version, slots, isolation, limits, secret_print, seen_at)
     VALUES ($1, $2, 'runner', 'x:1', '0', 8, 'none', '{}', '', now() + interval '1 hour')`,
    [id, incarnation],
  );
  const never = new AbortController().signal;
  return { id, incarnation, available: ['SHELL'], lost: never, replaced: never };
}

/** In pieces: the share of a project is written for each row, and its old versions go with the transaction. */
async function insert(client, count, projects) {
  for (let left = count; left > 0; left -= 500)
    await client.query(
      `INSERT INTO turn_jobs (job_id, attempt_id, project_id, executor)
       SELECT gen_random_uuid(), gen_random_uuid(), ($2::uuid[])[1 + n % cardinality($2::uuid[])], 'SHELL'
       FROM generate_series(1, $1::int) n`,
      [Math.min(left, 500), projects],
    );
  await client.query('ANALYZE turn_jobs');
}

/** By the index of taken turns: to read all 100 000 beside the claims would be what is measured. */
async function runningOfOne(database) {
  const [{ most }] = await database.query(
    `SELECT coalesce(max(n), 0)::int AS most
     FROM (SELECT count(*) AS n FROM turn_jobs WHERE taken_at IS NOT NULL GROUP BY project_id) taken`,
  );
  return most;
}

/** What a claim cannot be faster than: one row written, and the disk waited for. */
async function commitTime(client) {
  await client.query('CREATE TABLE floor AS SELECT 0 AS value');
  const times = [];
  for (let at = 0; at < 200; at += 1) {
    const startedAt = performance.now();
    await client.query('UPDATE floor SET value = value + 1');
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
