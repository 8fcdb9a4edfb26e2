import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { absolute, aside } from '../figures.mjs';
import { Loop } from '../ground/loop.mjs';
import { makeRepository } from '../ground/repositories.mjs';
import { quantile } from '../measure/statistics.mjs';

const SECONDS = 60;
const PROBE_EVERY_MS = 50;
const clients = path.join(import.meta.dirname, '../ground/hostile-clients.mjs');

/** Twenty clients send the worst body, list and stream they can: the probe is answered in time, a live run goes on. */
export async function hostile(ground) {
  const url = await ground.database();
  const server = await ground.server(url, { MAX_STREAMS_PER_PRINCIPAL: '500', ISOLATION: 'none' });
  const loop = await Loop.open(server, makeRepository(ground.place('small'), 10));
  const task_id = await loop.task(`for n in $(seq ${SECONDS * 10}); do echo "line $n"; sleep 0.1; done`);
  await fill(await ground.connect(url), loop.project_id, task_id);
  const calm = await probe(server.url, 5);
  const { attempt_id } = await loop.start(task_id);
  await loop.firstLine(attempt_id);
  const crowd = spawn(process.execPath, [clients, server.url, loop.project_id, task_id, attempt_id], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let answers = '';
  crowd.stdout.setEncoding('utf8').on('data', (text) => (answers += text));
  const times = await probe(server.url, SECONDS);
  crowd.kill('SIGTERM');
  const state = await loop.untilEnded(attempt_id);
  const { peakRssBytes } = await server.usage();
  const [worst, alone] = [times, calm].map((all) => quantile(all, 0.99));
  return [
    absolute(
      `/health/live beside 20 hostile clients for ${SECONDS} s, p99`,
      worst,
      'ms',
      `alone: ${alone.toFixed(1)} ms`,
      { below: 250, times: worst / alone },
    ),
    aside('the same, median and longest', `${quantile(times, 0.5).toFixed(1)} and ${Math.max(...times).toFixed(0)} ms`),
    aside('the live run ended as', state, `answers by status: ${answers.trim()}`),
    aside('memory of the server at most', `${Math.round(peakRssBytes / 2 ** 20)} MiB`),
  ];
}

/** Lists of a hundred megabytes. */
async function fill(client, project_id, task_id) {
  const text = "repeat('x', 1000000)";
  await client.query(
    `INSERT INTO thought_records
       (id, task_id, position, type, agent_id, recorded_by, content, timestamp, version, prev_hash, hash)
     SELECT gen_random_uuid(), $1, n, 'plan', '@claude', '@claude', ${text}, '2026-11-22T12:00:00.000Z', 2, '', ''
     FROM generate_series(1, 96) n`,
    [task_id],
  );
  await client.query(
    `INSERT INTO tasks (id, project_id, title, description, stage, created_at, updated_at)
     SELECT gen_random_uuid(), $1, repeat('x', 500), ${text}, 'PLAN', now(), now() FROM generate_series(1, 96)`,
    [project_id],
  );
  await client.query(
    `INSERT INTO audit_log (entity_type, entity_id, task_id, project_id, action, actor, actor_type, details, created_at)
     SELECT 'task', $1::uuid, $1::uuid, $2, 'updated', '@ada', 'human', jsonb_build_object('after', ${text}), now()
     FROM generate_series(1, 96)`,
    [task_id, project_id],
  );
}

/** How long each answer takes, one probe after the other. */
async function probe(url, seconds) {
  const times = [];
  for (const endsAt = performance.now() + seconds * 1_000; performance.now() < endsAt;) {
    const startedAt = performance.now();
    await (await fetch(`${url}/health/live`)).text();
    times.push(performance.now() - startedAt);
    await wait(PROBE_EVERY_MS);
  }
  return times;
}
