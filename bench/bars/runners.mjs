import { setTimeout as wait } from 'node:timers/promises';
import { absolute, format, ratio } from '../figures.mjs';
import { Cluster } from '../ground/cluster.mjs';
import { makeRepository } from '../ground/repositories.mjs';
import { median, quantile } from '../measure/statistics.mjs';

const LOSSES = 3;
const STOPS = 40;
const FILLS = 40;
const SLEEPING = 24;
const PLACES = 4;
/** Long enough that places are what is short: to prepare and to end a run takes the cores, whoever runs it. */
const SLEEP_SECS = 6;

/** What the processes of one database are to each other: loss, stop, a freed place, and a second runner. */
export async function runners(ground) {
  return [...(await losses(ground)), ...(await stops(ground)), ...(await fills(ground)), await drains(ground)];
}

/** Nobody but replicas lives when the loss is recorded; the next runner comes after it. */
async function losses(ground) {
  const cluster = await Cluster.open(ground, { RUNNER_LOST_SECS: '10', WORKSPACE_SAVE_SECS: '1' });
  const api = await cluster.start('api');
  let home = await cluster.start('runner');
  const project = await cluster.project(api, makeRepository(ground.place('large'), 5_000));
  const times = { recorded: [], goesOn: [] };
  for (let round = 0; round < LOSSES; round += 1) {
    const attempt_id = await cluster.begin(api, project, 'echo more > more.txt; echo ready; sleep 600');
    await cluster.untilSaid(api, attempt_id, 'ready');
    await cluster.untilRow('SELECT 1 FROM workspace_snapshots WHERE attempt_id = $1', [attempt_id]);
    home.kill();
    const killedAt = performance.now();
    await cluster.untilRow("SELECT 1 FROM executions WHERE attempt_id = $1 AND status = 'failed'", [attempt_id]);
    times.recorded.push(performance.now() - killedAt);
    home = await cluster.start('runner');
    const sentAt = performance.now();
    await cluster.call(api, 'follow_up', { attempt_id, action: 'send', prompt: 'cat more.txt' });
    await cluster.untilSaid(api, attempt_id, 'more');
    times.goesOn.push(performance.now() - sentAt);
  }
  await ground.clear();
  const floor = 'a lease lives for 10 s';
  return [
    absolute(
      `kill -9 of the only runner → its run is recorded as lost, by a replica, largest of ${LOSSES}`,
      Math.max(...times.recorded) / 1_000,
      's',
      floor,
      { below: 13 },
    ),
    absolute(
      `a message then → its first line on another runner, 5 000 files and the saved work, largest of ${LOSSES}`,
      Math.max(...times.goesOn) / 1_000,
      's',
      'the bar is the issue’s',
      { below: 2 },
    ),
  ];
}

/** Asked of one replica, for what was started through the other. */
async function stops(ground) {
  const cluster = await Cluster.open(ground);
  const [first, second] = [await cluster.start('api'), await cluster.start('api')];
  await cluster.start('runner');
  await cluster.start('runner');
  const project = await cluster.project(first, makeRepository(ground.place('small'), 10));
  const times = [];
  for (let round = 0; round <= STOPS; round += 1) {
    const attempt_id = await cluster.begin(first, project, 'echo ready; exec sleep 600');
    await cluster.untilSaid(first, attempt_id, 'ready');
    const askedAt = performance.now();
    const { stopped } = await cluster.call(second, 'stop_attempt', { attempt_id });
    if (!stopped) throw new Error('it was not stopped');
    if (round > 0) times.push(performance.now() - askedAt);
  }
  await ground.clear();
  const what = `stop_attempt on another replica than the start, until its answer, p95 of ${STOPS}`;
  return [absolute(what, quantile(times, 0.95), 'ms', `p50 ${format(median(times))} ms`, { below: 300 })];
}

/** One place and a queue before it: from the end of a turn until the next one is taken. */
async function fills(ground) {
  const cluster = await Cluster.open(ground, { MAX_CONCURRENT_EXECUTIONS: '1' });
  const api = await cluster.start('api');
  await cluster.start('runner');
  const project = await cluster.project(api, makeRepository(ground.place('small'), 10));
  for (let at = 0; at < FILLS; at += 1) await cluster.begin(api, project, 'sleep 0.2');
  await untilIdle(cluster);
  const gaps = await cluster.rows(`
    SELECT extract(epoch FROM started_at - lag(completed_at) OVER (ORDER BY started_at)) * 1000 AS gap
    FROM executions ORDER BY started_at`);
  const values = gaps.map(({ gap }) => Number(gap)).slice(2);
  await ground.clear();
  const what = `the end of a turn → its place is taken by the next one, p95 of ${values.length}`;
  return [absolute(what, quantile(values, 0.95), 'ms', `p50 ${format(median(values))} ms`, { below: 50 })];
}

/** Sleeping runs: places are what is short, not the cores. */
async function drains(ground) {
  const times = [];
  for (const count of [1, 2]) {
    const cluster = await Cluster.open(ground, { MAX_CONCURRENT_EXECUTIONS: String(PLACES) });
    const api = await cluster.start('api');
    for (let at = 0; at < count; at += 1) await cluster.start('runner');
    const project = await cluster.project(api, makeRepository(ground.place('small'), 10));
    await cluster.begin(api, project, 'true');
    await untilIdle(cluster);
    const startedAt = performance.now();
    for (let at = 0; at < SLEEPING; at += 1) await cluster.begin(api, project, `sleep ${SLEEP_SECS}`);
    await untilIdle(cluster);
    times.push(performance.now() - startedAt);
    await ground.clear();
  }
  const [one, two] = times;
  return ratio(
    `${SLEEPING} runs of ${SLEEP_SECS} s, two runners of ${PLACES} places`,
    `${format(two)} ms`,
    `one runner: ${format(one)} ms`,
    one / two,
    { atLeast: 1.8 },
  );
}

async function untilIdle(cluster) {
  for (;;) {
    const live = await cluster.rows("SELECT 1 FROM executions WHERE status IN ('queued', 'running') LIMIT 1");
    if (live.length === 0) return;
    await wait(10);
  }
}
