import { setTimeout as wait } from 'node:timers/promises';
import { aside, format, ratio } from '../figures.mjs';
import { Loop } from '../ground/loop.mjs';
import { makeRepository } from '../ground/repositories.mjs';
import { median } from '../measure/statistics.mjs';

const PLACES = 8;
const BATCHES = 10;
const ROUNDS = 3;

/** Turns that queue beyond the places: ten times as many may take ten times as long, and no freed place may rest. */
export async function backlog(ground) {
  const url = await ground.database();
  const server = await ground.server(url, { MAX_CONCURRENT_EXECUTIONS: String(PLACES) });
  const loop = await Loop.open(server, makeRepository(ground.place('small'), 10));
  const client = await ground.connect(url);
  await timeOf(loop, client, PLACES); // first call of everything
  const rounds = [];
  while (rounds.length < ROUNDS) rounds.push(await measureOnce(loop, client));
  const batchMs = median(rounds.map((round) => round.batchMs));
  const backlogMs = median(rounds.map((round) => round.backlogMs));
  const count = PLACES * BATCHES;
  return [
    ratio(
      `${count} SHELL attempts on ${PLACES} places, from the first start to the last end`,
      `${format(backlogMs)} ms`,
      `${BATCHES} × a batch of ${PLACES}: ${format(BATCHES * batchMs)} ms`,
      median(rounds.map((round) => round.backlogMs / (BATCHES * round.batchMs))),
      { atMost: 1.3 },
    ),
    aside(
      'the same, attempts a second',
      format(count / (backlogMs / 1_000)),
      `${ROUNDS} rounds, ${BATCHES} batches each`,
    ),
  ];
}

/** The batches before and after the backlog, so that a busy moment weighs on both. */
async function measureOnce(loop, client) {
  const batches = [];
  while (batches.length < BATCHES / 2) batches.push(await timeOf(loop, client, PLACES));
  const backlogMs = await timeOf(loop, client, PLACES * BATCHES);
  while (batches.length < BATCHES) batches.push(await timeOf(loop, client, PLACES));
  return { batchMs: median(batches), backlogMs };
}

async function timeOf(loop, client, count) {
  const tasks = [];
  while (tasks.length < count) tasks.push(await loop.task('echo done'));
  const startedAt = performance.now();
  for (const task of tasks) await loop.start(task);
  await untilIdle(client);
  return performance.now() - startedAt;
}

/** Asked of the rows: eighty polls of the server would be work of their own. */
async function untilIdle(client) {
  for (;;) {
    const { rows } = await client.query("SELECT 1 FROM executions WHERE status IN ('queued', 'running') LIMIT 1");
    if (rows.length === 0) break;
    await wait(5);
  }
  const { rows } = await client.query("SELECT count(*)::int AS failed FROM executions WHERE status <> 'completed'");
  if (rows[0].failed > 0) throw new Error(`${rows[0].failed} executions did not end well`);
}
