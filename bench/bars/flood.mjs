import { absolute, aside } from '../figures.mjs';
import { callTool } from '../ground/tool-request.mjs';
import { Connection } from '../measure/connection.mjs';
import { quantile } from '../measure/statistics.mjs';

const KEYS = 300_000;
const TIMES = 40;
const CALLS = 200;
const SENDERS = 4;
const body = JSON.stringify(Object.fromEntries(Array.from({ length: KEYS }, (_, index) => [`k${index}`, 1])));

/** A body of 300 000 keys is refused at once, and delays nobody. */
export async function flood(ground) {
  const server = await ground.server(await ground.database(), { ISOLATION: 'none' });
  const times = [];
  while (times.length < TIMES) times.push(await refused(server));
  const calm = await calls(server);
  let isOver = false;
  const senders = Array.from({ length: SENDERS }, async () => {
    while (!isOver) await refused(server);
  });
  const beside = await calls(server);
  isOver = true;
  await Promise.all(senders);
  const p99 = quantile(beside, 0.99);
  return [
    absolute(
      `a body of ${KEYS} keys, sent → answered with 400, the slowest of ${TIMES}`,
      Math.max(...times),
      'ms',
      `median ${quantile(times, 0.5).toFixed(1)} ms; ${(body.length / 2 ** 20).toFixed(1)} MiB`,
      { below: 100 },
    ),
    aside(
      `list_projects beside ${SENDERS} clients that send such bodies without a pause, p99`,
      `${p99.toFixed(1)} ms`,
      `alone: ${quantile(calm, 0.99).toFixed(1)} ms`,
    ),
  ];
}

/** @returns milliseconds. @throws where it is taken */
async function refused({ url }) {
  const startedAt = performance.now();
  const answer = await fetch(`${url}/api/workers`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  await answer.text();
  if (answer.status !== 400) throw new Error(`${KEYS} keys were answered with ${answer.status}`);
  return performance.now() - startedAt;
}

/** How long each of many small calls takes. */
async function calls({ url }) {
  const connection = await Connection.open(url);
  const times = [];
  while (times.length < CALLS) {
    const startedAt = performance.now();
    await callTool(connection, `${url}/mcp`, 'list_projects', {});
    times.push(performance.now() - startedAt);
  }
  connection.close();
  return times;
}
